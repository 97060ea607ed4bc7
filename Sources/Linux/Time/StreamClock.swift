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
