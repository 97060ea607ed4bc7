package import Linux

/// Both clocks, read together, and the boot that the first counts from.
package struct ClockReading: Hashable, Sendable {
  /// The time since the machine started, sleep included; nobody can set it.
  package let boottime: Duration
  /// The calendar time.
  package let wall: WallTime
  /// The identity of the boot; nil if it is unknown, which equals no known boot.
  package let boot: String?

  /// A reading as given; tests use their own clocks.
  package init(boottime: Duration, wall: WallTime, boot: String?) {
    self.boottime = boottime
    self.wall = wall
    self.boot = boot
  }
}

extension WallTime {
  /// A moment in whole seconds, the store's resolution.
  package init(seconds: Int64) { self.init(writable: .seconds(seconds)) }

  /// A moment outside the years 1970 to 9999 is moved to the nearest valid one.
  private init(writable sinceEpoch: Duration) {
    self.init(sinceEpoch: min(max(sinceEpoch, .zero), .seconds(253_402_300_799)))
  }

  /// Whole seconds since 1970.
  package var seconds: Int64 { sinceEpoch.components.seconds }

  /// The moment without its fraction of a second.
  package var wholeSeconds: WallTime { WallTime(seconds: seconds) }

  /// The moment `duration` later.
  package static func + (time: WallTime, duration: Duration) -> WallTime {
    WallTime(writable: time.sinceEpoch + duration)
  }

  /// The time from `start` to `end`.
  package static func - (end: WallTime, start: WallTime) -> Duration {
    end.sinceEpoch - start.sinceEpoch
  }
}
