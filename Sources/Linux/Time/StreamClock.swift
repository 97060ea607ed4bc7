internal import CLinux
internal import Glibc

/// The clocks of devices and recordings. Tests use clocks that they advance themselves.
package protocol StreamClock: Sendable {
  /// The monotonic clock, which stops while the machine sleeps.
  var monotonic: Duration { get }

  /// The clock that also runs while the machine sleeps.
  var bootTime: Duration { get }

  /// The current time of the wall clock, which may jump.
  var wallTime: WallTime { get }

  /// Waits until the descriptor `wake` is readable or `limit` has passed. Returns true if `wake` is
  /// readable.
  @discardableResult
  func wait(upTo limit: Duration, wake: Int32) -> Bool
}

extension StreamClock {
  /// The time that the machine has slept since it booted.
  package var slept: Duration { bootTime - monotonic }
}

/// The kernel's clocks. No call allocates or locks.
package struct KernelStreamClock: StreamClock {
  /// Creates the clocks. They have no state; each reading asks the kernel.
  package init() {}

  /// CLOCK_MONOTONIC.
  package var monotonic: Duration { KernelClock.monotonic.now }
  /// CLOCK_BOOTTIME.
  package var bootTime: Duration { KernelClock.bootTime.now }
  /// CLOCK_REALTIME.
  package var wallTime: WallTime { .now }

  /// Waits with `poll`. A signal can end the wait early.
  @discardableResult
  package func wait(upTo limit: Duration, wake: Int32) -> Bool {
    var entry = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, limit.wholeMilliseconds) > 0
  }
}

/// A duration in which pauses of the program, or of the whole machine, hardly count.
///
/// Each check adds the time since the previous check, but at most `longestLook`. So if the program
/// was stopped or the machine slept, only `longestLook` counts as time without sound from a device.
package struct AttendedTime {
  /// The counted time since the last restart.
  package private(set) var passed = Duration.zero
  private var looked: Duration
  private let longestLook: Duration

  /// Creates a time that begins at `now`.
  package init(since now: Duration, longestLook: Duration) {
    looked = now
    self.longestLook = longestLook
  }

  /// Adds the time since the last check.
  package mutating func check(at now: Duration) {
    passed += min(max(.zero, now - looked), longestLook)
    looked = now
  }

  /// Begins again at `now`.
  package mutating func restart(at now: Duration) {
    (passed, looked) = (.zero, now)
  }
}
