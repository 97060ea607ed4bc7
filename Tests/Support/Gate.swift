import Dispatch
import Testing

/// A point where a thread waits until the test opens it. The test can wait until the thread is
/// there.
package final class Gate: Sendable {
  private let reached = DispatchSemaphore(value: 0)
  private let opened = DispatchSemaphore(value: 0)

  /// A closed gate.
  package init() {}

  /// Waits until the gate is opened. After that, the gate remains open.
  package func pass() {
    reached.signal()
    opened.wait()
    opened.signal()
  }

  /// Waits until a thread has arrived at the gate.
  package func awaitArrival() throws {
    try #require(reached.wait(timeout: .now() + .seconds(30)) == .success, "no thread arrived")
  }

  /// Lets all threads pass.
  package func open() { opened.signal() }
}
