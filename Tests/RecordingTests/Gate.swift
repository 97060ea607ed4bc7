import Dispatch
import Testing

/// A place where a thread waits until the test lets it go on, and the test until the thread is there.
final class Gate: Sendable {
  private let reached = DispatchSemaphore(value: 0)
  private let opened = DispatchSemaphore(value: 0)

  /// Waits here, until the gate is opened for good.
  func pass() {
    reached.signal()
    opened.wait()
    opened.signal()
  }

  /// Waits until a thread is here.
  func awaitArrival() throws {
    try #require(reached.wait(timeout: .now() + .seconds(30)) == .success, "nobody came")
  }

  func open() { opened.signal() }
}
