package import Linux

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
