import Foundation
import RecorderAVFoundation
import RecorderKit

/// Delegates of recorders and players with Apple's interfaces, each with the calls that it has to
/// receive.
@MainActor
final class Delegates {
  private var witnesses: [Witness] = []
  private let sound: Data
  private static let stereo: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2]

  /// - Parameter place: the path of a sound file, which is created and then read.
  init(sound place: String) throws {
    let file = try AudioFileWriter(
      creating: place,
      format: AudioFormat(sampleRate: 48_000, channelCount: 1, sampleFormat: .int16))
    try file.write([Float](repeating: 0.1, count: 480))
    try file.close()
    sound = try Data(contentsOf: URL(fileURLWithPath: place))
  }

  /// Makes a recording that ends in one of four ways.
  func record(to path: String, _ way: Int) async throws {
    var recorder: AVAudioRecorder? = try AVAudioRecorder(
      url: URL(fileURLWithPath: path), settings: Self.stereo)
    let witness = witness(of: way % 4 < 2 ? [.finished(true)] : [])
    recorder?.delegate = witness
    guard recorder?.record(forDuration: way % 4 == 1 ? 0.03 : 60) == true else {
      throw Unexpected(what: "a recorder did not begin")
    }
    switch way % 4 {
    case 0: recorder?.stop()
    case 1: break
    case 2:
      recorder?.delegate = nil
      recorder?.stop()
    default: recorder = nil
    }
    await witness.isTold()
  }

  /// Makes a play that ends in one of three ways.
  func play(_ way: Int) async throws {
    var player: AVAudioPlayer? = try AVAudioPlayer(data: sound)
    let witness = witness(of: way % 3 == 0 ? [.finished(true)] : [])
    player?.delegate = witness
    player?.numberOfLoops = way % 3 == 0 ? 0 : -1
    guard player?.play() == true else { throw Unexpected(what: "a player did not begin") }
    switch way % 3 {
    case 0: break
    case 1: player?.stop()
    default:
      player?.pause()
      player = nil
    }
    await witness.isTold()
  }

  /// Makes recordings that one revocation ends. Returns the time that their starts took, one after
  /// the other.
  func record(
    to paths: [String], until revocation: () async throws -> Void
  ) async throws -> Duration {
    let begin = ContinuousClock.now
    var recorders: [AVAudioRecorder] = []
    for path in paths {
      let recorder = try AVAudioRecorder(url: URL(fileURLWithPath: path), settings: Self.stereo)
      recorder.delegate = witness(of: [.error, .finished(false)])
      guard recorder.record() else { throw Unexpected(what: "a recorder did not begin") }
      recorders.append(recorder)
    }
    let lasted = ContinuousClock.now - begin
    try await revocation()
    for witness in witnesses.suffix(paths.count) { await witness.isTold() }
    return lasted
  }

  /// The number of delegates, and the number of those that received unexpected calls.
  var counts: (all: Int, wrong: Int) { (witnesses.count, witnesses.count { !$0.isRight }) }

  private func witness(of expected: [Told]) -> Witness {
    let witness = Witness(expected)
    witnesses.append(witness)
    return witness
  }

  /// One call of a delegate.
  fileprivate enum Told: Equatable {
    case finished(Bool)
    case error
  }
}

/// A delegate that keeps the calls that it receives.
@MainActor
private final class Witness: NSObject, AVAudioRecorderDelegate, AVAudioPlayerDelegate {
  private let expected: [Delegates.Told]
  private var told: [Delegates.Told] = []
  private let news = AsyncStream.makeStream(of: Void.self)

  init(_ expected: [Delegates.Told]) { self.expected = expected }

  var isRight: Bool { told == expected }

  /// Returns once it has received as many calls as expected.
  func isTold() async {
    guard told.count < expected.count else { return }
    for await _ in news.stream where told.count >= expected.count { return }
  }

  func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {
    add(.finished(flag))
  }

  func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {
    add(.error)
  }

  func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
    add(.finished(flag))
  }

  func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) { add(.error) }

  private func add(_ told: Delegates.Told) {
    self.told.append(told)
    news.continuation.yield()
  }
}

/// The error for something that must not happen in the storm.
struct Unexpected: Error {
  let what: String
}
