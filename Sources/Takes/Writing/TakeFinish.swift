package import Control
package import Linux
internal import Synchronization

/// The end of a file on a thread of its own, because a disk may take long; files end in their order.
package final class TakeFinish: Sendable {
  /// An event that is readable once the file is ended.
  package let done: Event
  private let former: TakeFinish?
  private let work: @Sendable (RecordingResult) -> RecordingResult
  private let answer: Mutex<RecordingResult>

  /// Starts once the one before is done; `work` completes the result.
  init(
    _ result: RecordingResult, after former: TakeFinish? = nil,
    _ work: @escaping @Sendable (RecordingResult) -> RecordingResult
  ) throws(SystemError) {
    self.former = former?.isDone == true ? nil : former
    self.work = work
    answer = Mutex(result)
    done = try Event()
    // Where there is no room for a thread the file is ended all the same.
    if (try? Thread("finish") { [self] in self.run() }) == nil { run() }
  }

  private func run() {
    if let former { _ = try? former.done.descriptor.wait(upTo: nil) }
    let result = work(result)
    answer.withLock { $0 = result }
    done.signal()
  }

  /// True once the file is ended.
  var isDone: Bool { (try? done.descriptor.wait(upTo: .zero)) == true }

  /// The result so far; the final one once `done` is readable.
  package var result: RecordingResult { answer.withLock { $0 } }
}
