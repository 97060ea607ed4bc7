package import Linux

/// The time limit of a grant, on both clocks.
package struct Limit: Hashable, Sendable {
  /// The boot of the grant, whose clock nobody can set.
  package let boot: String
  /// The boot time of the grant.
  package let start: Duration
  /// The boot time of the end, which counts until a restart.
  package let end: Duration
  /// The calendar time of the end, which counts after a restart.
  package let until: WallTime

  /// A limit from its parts; nil if it would end before it begins.
  package init?(boot: String, start: Duration, end: Duration, until: WallTime) {
    guard !boot.isEmpty, start >= .zero, end > start else { return nil }
    self.boot = boot
    self.start = start
    self.end = end
    self.until = until.wholeSeconds
  }

  /// A limit that begins now; nil if the boot is unknown or the duration is not positive.
  package init?(_ duration: Duration, from clock: ClockReading) {
    guard let boot = clock.boot else { return nil }
    self.init(
      boot: boot, start: clock.boottime, end: clock.boottime + duration,
      until: clock.wall + duration)
  }

  /// The time left in the boot of the grant; nil if the limit is over or the boot is another one.
  package func remainingInThisBoot(_ clock: ClockReading) -> Duration? {
    guard clock.boot == boot, clock.boottime >= start, clock.boottime < end else { return nil }
    return end - clock.boottime
  }

  /// The time left by the calendar after a restart; nil if the limit is over.
  ///
  /// A calendar that puts the start of this boot before the grant was set back, so nothing is left.
  /// In any case at most the whole duration is left, less the time that the machine already runs.
  package func remainingAfterRestart(_ clock: ClockReading, granted: WallTime) -> Duration? {
    guard clock.boot != boot, (clock.wall - granted) >= clock.boottime else { return nil }
    let left = min(until - clock.wall, (end - start) - clock.boottime)
    return left > .zero ? left : nil
  }
}
