package import Linux

/// How long a grant may be used, on both clocks.
package struct Limit: Hashable, Sendable {
  /// The boot in which it was granted, whose time nobody can set.
  package let boot: String
  /// The boot time at which it was granted.
  package let start: Duration
  /// The boot time at which it ends, if the machine still runs.
  package let end: Duration
  /// The calendar time at which it ends, if the machine was started anew.
  package let until: WallTime

  /// A limit from its parts, or nil where it would end before it begins.
  package init?(boot: String, start: Duration, end: Duration, until: WallTime) {
    guard !boot.isEmpty, start >= .zero, end > start else { return nil }
    self.boot = boot
    self.start = start
    self.end = end
    self.until = until.wholeSeconds
  }

  /// A limit that begins now; nil where the boot is unknown or nothing would be left.
  package init?(_ duration: Duration, from clock: ClockReading) {
    guard let boot = clock.boot else { return nil }
    self.init(
      boot: boot, start: clock.boottime, end: clock.boottime + duration,
      until: clock.wall + duration)
  }

  /// What is left in the boot in which it was granted, or nil where nothing is.
  package func remainingInThisBoot(_ clock: ClockReading) -> Duration? {
    guard clock.boot == boot, clock.boottime >= start, clock.boottime < end else { return nil }
    return end - clock.boottime
  }

  /// What is left by the calendar after a restart, or nil where nothing is.
  ///
  /// A calendar that has this boot begin before the grant was set back, so nothing is left; and
  /// whatever it says, no more is left than the whole, less how long the machine already runs.
  package func remainingAfterRestart(_ clock: ClockReading, granted: WallTime) -> Duration? {
    guard clock.boot != boot, (clock.wall - granted) >= clock.boottime else { return nil }
    let left = min(until - clock.wall, (end - start) - clock.boottime)
    return left > .zero ? left : nil
  }
}
