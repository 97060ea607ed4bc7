import Foundation
import RecorderAVFoundation
import RecorderKit

/// The delegates of recorders and players in Apple's shapes, each with what it has to be told.
@MainActor
final class Delegates {
  private var witnesses: [Witness] = []
  private let sound: Data
  private static let stereo: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2]

  /// - Parameter place: the path of a sound file that is made and read.
  init(sound place: String) throws {
    let file = try AudioFileWriter(
      place, format: AudioFormat(rate: 48_000, channels: 1, sample: .int16))
    try file.write([Float](repeating: 0.1, count: 480))
    try file.close()
    sound = try Data(contentsOf: URL(fileURLWithPath: place))
  }

  /// A recording that ends in one of four ways.
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

  /// A play that ends in one of three ways.
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

  /// Recordings that one revocation ends; returns the time that their starts took, one after the other.
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

  /// The number of delegates, and of those that were told anything but what they had to be.
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

/// Keeps what it is told.
@MainActor
private final class Witness: NSObject, AVAudioRecorderDelegate, AVAudioPlayerDelegate {
  private let expected: [Delegates.Told]
  private var told: [Delegates.Told] = []
  private let news = AsyncStream.makeStream(of: Void.self)

  init(_ expected: [Delegates.Told]) { self.expected = expected }

  var isRight: Bool { told == expected }

  /// Returns once it was told as often as it has to be.
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

/// Something that must not happen in the storm.
struct Unexpected: Error {
  let what: String
}
