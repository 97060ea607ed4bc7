package import Linux

/// The time of a capture thread; a test steps one of its own.
package protocol CaptureClock: Sendable {
  /// Stands still while the machine sleeps.
  var monotonic: Duration { get }

  /// Counts sleep too.
  var bootTime: Duration { get }

  /// What the clock on the wall says, which may jump.
  var wallTime: WallTime { get }

  /// Waits until `wake` is signalled or `limit` has passed.
  func wait(upTo limit: Duration, for wake: borrowing Event)
}

/// The kernel's clocks.
package struct KernelCaptureClock: CaptureClock {
  package init() {}

  package var monotonic: Duration { KernelClock.monotonic.now }
  package var bootTime: Duration { KernelClock.bootTime.now }
  package var wallTime: WallTime { .now }

  package func wait(upTo limit: Duration, for wake: borrowing Event) {
    _ = try? wake.descriptor.wait(upTo: limit)
  }
}
