package import Linux

/// The time of a capture thread; a test steps one of its own.
package protocol CaptureClock: Sendable {
  /// The monotonic clock, which stands still while the machine sleeps.
  var monotonic: Duration { get }

  /// The clock that counts sleep too.
  var bootTime: Duration { get }

  /// The present time of the wall clock, which may jump.
  var wallTime: WallTime { get }

  /// Waits until `wake` is signalled or `limit` has passed.
  func wait(upTo limit: Duration, for wake: borrowing Event)
}

/// The kernel's clocks.
package struct KernelCaptureClock: CaptureClock {
  /// Clocks without state: each reading asks the kernel.
  package init() {}

  /// CLOCK_MONOTONIC.
  package var monotonic: Duration { KernelClock.monotonic.now }
  /// CLOCK_BOOTTIME.
  package var bootTime: Duration { KernelClock.bootTime.now }
  /// CLOCK_REALTIME.
  package var wallTime: WallTime { .now }

  /// Waits in `poll`; an error of it ends the wait early.
  package func wait(upTo limit: Duration, for wake: borrowing Event) {
    _ = try? wake.descriptor.wait(upTo: limit)
  }
}
