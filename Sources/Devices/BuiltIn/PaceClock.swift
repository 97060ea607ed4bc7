internal import CALSA
internal import Glibc
internal import Linux

/// The clock that paces a built-in device; tests step one of their own.
package protocol PaceClock: Sendable {
  /// The time by CLOCK_MONOTONIC.
  var now: Duration { get }

  /// Waits until `wake` becomes readable or `limit` has passed, and returns whether it was woken.
  func sleep(upTo limit: Duration, wake: Int32) -> Bool
}

/// The kernel's own CLOCK_MONOTONIC.
package struct KernelPace: PaceClock {
  package init() {}

  package var now: Duration { KernelClock.monotonic.now }

  package func sleep(upTo limit: Duration, wake: Int32) -> Bool {
    var entry = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
    // An interruption ends the sleep early, which its caller's loop makes good.
    return unsafe poll(&entry, 1, limit.wholeMilliseconds) > 0
  }
}
