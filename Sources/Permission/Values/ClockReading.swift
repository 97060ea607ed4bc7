package import Linux

/// A reading of two clocks at one moment, with the identity of the current boot.
package struct ClockReading: Hashable, Sendable {
  /// The time since the machine started, including sleep. It cannot be set.
  package let boottime: Duration
  /// The calendar time.
  package let wall: WallTime
  /// The identity of the boot, or nil if it is unknown. An unknown boot differs from every known
  /// boot.
  package let boot: String?
}

extension WallTime {
  /// Creates a moment in whole seconds, the store's resolution.
  package init(seconds: Int64) { self.init(writable: .seconds(seconds)) }

  /// Creates a moment. A time outside the years 1970 to 9999 becomes the nearest valid time.
  private init(writable sinceEpoch: Duration) {
    self.init(sinceEpoch: min(max(sinceEpoch, .zero), .seconds(253_402_300_799)))
  }

  /// Whole seconds since 1970.
  package var seconds: Int64 { sinceEpoch.components.seconds }

  /// The moment, truncated to whole seconds.
  package var wholeSeconds: WallTime { WallTime(seconds: seconds) }

  /// The moment, rounded to whole seconds. A moment that is computed from two clocks is wrong by
  /// some microseconds, because the clocks are read one after the other. Truncation could then show
  /// the previous second.
  package var nearestSecond: WallTime { (self + .milliseconds(500)).wholeSeconds }

  /// The moment `duration` later.
  package static func + (time: WallTime, duration: Duration) -> WallTime {
    WallTime(writable: time.sinceEpoch + duration)
  }

  /// The time from `start` to `end`.
  package static func - (end: WallTime, start: WallTime) -> Duration {
    end.sinceEpoch - start.sinceEpoch
  }
}
