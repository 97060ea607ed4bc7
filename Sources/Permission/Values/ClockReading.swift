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
