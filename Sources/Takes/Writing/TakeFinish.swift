package import Control
package import Linux
internal import Synchronization

/// Finishes a file on its own thread, because a disk may be slow. The files of a take are finished
/// in their order.
package final class TakeFinish: Sendable {
  /// The event that is signalled once the file is finished.
  package let done: Event
  private let former: TakeFinish?
  private let work: @Sendable (RecordingResult) -> RecordingResult
  private let answer: Mutex<RecordingResult>

  /// Starts the thread, which waits for `former` and then calls `work` to complete the result.
  init(
    _ result: RecordingResult, after former: TakeFinish? = nil,
    _ work: @escaping @Sendable (RecordingResult) -> RecordingResult
  ) throws(SystemError) {
    self.former = former?.isDone == true ? nil : former
    self.work = work
    answer = Mutex(result)
    done = try Event()
    // If no thread can be started, the file is finished on this thread.
    if (try? Thread("finish") { [self] in self.run() }) == nil { run() }
  }

  private func run() {
    if let former { _ = try? former.done.descriptor.wait(upTo: nil) }
    let result = work(result)
    answer.withLock { $0 = result }
    done.signal()
  }

  /// Whether the file is finished.
  var isDone: Bool { (try? done.descriptor.wait(upTo: .zero)) == true }

  /// The result so far. It is final once `done` is signalled.
  package var result: RecordingResult { answer.withLock { $0 } }
}
