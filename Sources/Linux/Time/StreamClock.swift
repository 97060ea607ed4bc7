internal import CLinux
internal import Glibc

/// The time by which devices and recordings run; a test steps one of its own.
package protocol StreamClock: Sendable {
  /// The monotonic clock, which stands still while the machine sleeps.
  var monotonic: Duration { get }

  /// The clock that counts sleep too.
  var bootTime: Duration { get }

  /// The present time of the wall clock, which may jump.
  var wallTime: WallTime { get }

  /// Waits until the descriptor `wake` becomes readable or `limit` has passed; true if it was
  /// woken.
  @discardableResult
  func wait(upTo limit: Duration, wake: Int32) -> Bool
}

extension StreamClock {
  /// The time that the machine has slept since it was started.
  package var slept: Duration { bootTime - monotonic }
}

/// The kernel's clocks; no call allocates or locks.
package struct KernelStreamClock: StreamClock {
  /// Clocks without state: each reading asks the kernel.
  package init() {}

  /// CLOCK_MONOTONIC.
  package var monotonic: Duration { KernelClock.monotonic.now }
  /// CLOCK_BOOTTIME.
  package var bootTime: Duration { KernelClock.bootTime.now }
  /// CLOCK_REALTIME.
  package var wallTime: WallTime { .now }

  /// Waits with `poll`; an interruption ends the wait early.
  @discardableResult
  package func wait(upTo limit: Duration, wake: Int32) -> Bool {
    var entry = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, limit.wholeMilliseconds) > 0
  }
}

/// The time that passes while its thread looks on.
///
/// Each look adds the time since the one before, but no more than `longestLook`: a program that was
/// stopped, or whose machine slept, does not blame a device for a silence of its own.
package struct AttendedTime {
  /// The time since the last restart.
  package private(set) var passed = Duration.zero
  private var looked: Duration
  private let longestLook: Duration

  /// A time that begins at `now`.
  package init(since now: Duration, longestLook: Duration) {
    looked = now
    self.longestLook = longestLook
  }

  /// Adds the time since the last look.
  package mutating func look(at now: Duration) {
    passed += min(max(.zero, now - looked), longestLook)
    looked = now
  }

  /// Begins anew at `now`.
  package mutating func restart(at now: Duration) {
    (passed, looked) = (.zero, now)
  }
}
