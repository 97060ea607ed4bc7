import RecorderAVFoundation
import Testing

/// What a delegate was told.
enum Told: Hashable, Sendable {
  case finished(Bool)
  case error(String)
}

/// Keeps what a player or a recorder tells its delegate, and on which thread.
@MainActor
final class Listener: NSObject, AVAudioRecorderDelegate {
  private(set) var told: [Told] = []
  /// False after a call from elsewhere than the main queue.
  private(set) var isAlwaysMain = true
  /// Called with each piece of news.
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

  /// The end, once it is told.
  func end() async throws -> Bool {
    for await told in news.stream {
      if case .finished(let flag) = told { return flag }
    }
    throw CancellationError()
  }

  /// What is told until nothing more can come: a delivery that is ordered later has taken place.
  func settled() async -> [Told] {
    await withCheckedContinuation { done in
      Task { @MainActor in done.resume() }
    }
    return told
  }
}

/// The queue of the main actor; in a program that has no run loop, Dispatch serves it by any thread.
enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
