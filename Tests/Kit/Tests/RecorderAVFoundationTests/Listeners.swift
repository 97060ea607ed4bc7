import RecorderAVFoundation
import Testing

/// A call that a delegate received.
enum Told: Hashable, Sendable {
  case finished(Bool)
  case error(String)
}

/// Records the delegate calls of a player or a recorder, and whether they came on the main queue.
@MainActor
final class Listener: NSObject, AVAudioRecorderDelegate {
  private(set) var told: [Told] = []
  /// Whether all calls came on the main queue.
  private(set) var isAlwaysMain = true
  /// Called with each delegate call.
  var whenTold: (Told) -> Void = { _ in }
  private let news = AsyncStream.makeStream(of: Told.self)

  func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {
    add(.finished(flag))
  }

  func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {
    add(.error(error.map { "\($0)" } ?? ""))
  }

  func add(_ told: Told) {
    isAlwaysMain = isAlwaysMain && MainQueue.isCurrent
    self.told.append(told)
    whenTold(told)
    news.continuation.yield(told)
  }

  /// Waits for the end, and returns whether it was a success.
  func end() async throws -> Bool {
    for await told in news.stream {
      if case .finished(let flag) = told { return flag }
    }
    throw CancellationError()
  }

  /// Returns all calls once no more can come: a task queued after them on the main actor has run.
  func settled() async -> [Told] {
    await withCheckedContinuation { done in
      Task { @MainActor in done.resume() }
    }
    return told
  }
}

/// The queue of the main actor. In a program without a run loop, Dispatch runs it on any thread.
enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
