internal import CALSA
internal import Glibc
internal import Linux

/// The clock that paces a built-in device; tests step one of their own.
package protocol PaceClock: Sendable {
  /// The time by CLOCK_MONOTONIC.
  var now: Duration { get }

  /// Waits until `wake` becomes readable or `limit` has passed; true if it was woken.
  func sleep(upTo limit: Duration, wake: Int32) -> Bool
}

/// The kernel's own CLOCK_MONOTONIC.
package struct KernelPace: PaceClock {
  /// The clock of this machine; it has no state.
  package init() {}

  /// The time by CLOCK_MONOTONIC.
  package var now: Duration { KernelClock.monotonic.now }

  /// Waits with `poll`; false also after an interruption, which the caller's loop makes good.
  package func sleep(upTo limit: Duration, wake: Int32) -> Bool {
    var entry = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
    // The caller's loop makes good an early end by an interruption.
    return unsafe poll(&entry, 1, limit.wholeMilliseconds) > 0
  }
}
