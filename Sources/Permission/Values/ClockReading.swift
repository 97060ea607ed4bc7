package import Linux

/// Both clocks, read together, and the boot that one of them counts from.
package struct ClockReading: Hashable, Sendable {
  /// Time since the machine started, sleep included; nobody can set it.
  package let boottime: Duration
  /// The calendar.
  package let wall: WallTime
  /// Which start of the machine this is; nil, where it cannot be known, is no known boot.
  package let boot: String?

  package init(boottime: Duration, wall: WallTime, boot: String?) {
    self.boottime = boottime
    self.wall = wall
    self.boot = boot
  }
}
