import Bench
import Foundation
import RecorderKit

/// A playback device that keeps every frame it plays, at the pace of the tests' sound card.
final class Speakers: Sendable {
  let player: Player
  let tape: Tape
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    let file = scratch.file("speakers.raw")
    let card = ProcessInfo.processInfo.environment["RECORDER_PACED_CARD"] ?? "null"
    let device = "tee:SLAVE='\(card)',FILE='\(file.path)',FORMAT=raw"
    tape = Tape(file, writtenBy: device)
    player = Player(on: Device(device))
  }

  /// Returns the samples of one channel, without silence at the beginning and at the end.
  func heard(_ channel: Int = 0) -> [Float] { tape.channel(channel) }

  /// Returns all samples of one of the two channels.
  func all(_ channel: Int = 0) -> [Float] { tape.all(channel) }
}

/// Sounds with known frames, without a silent one.
enum Known {
  static let format = AudioFormat(sampleRate: 48_000, channelCount: 1, sampleFormat: .float32)

  /// Returns samples without silence that repeat after 16,000 frames.
  static func samples(_ count: Int) -> [Float] {
    (0..<count).map { Float($0 % 16_000 + 1) / 32_768 }
  }

  static func sound(_ samples: [Float]) throws -> Sound {
    try Sound.frames([AudioBuffer(samples, format: format)])
  }

  /// Plays silence of that length on another device, while the test expects that nothing else
  /// happens.
  static func playElsewhere(_ length: Duration) async throws {
    let frames = Int(length / .seconds(1) * 48_000)
    try await Player(on: "test:null").play(try sound([Float](repeating: 0, count: frames)))
  }

  /// Returns the bytes of a 16-bit WAV file with those samples.
  static func wave(_ samples: [Float]) -> [UInt8] {
    func little(_ number: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    let data = samples.flatMap { little(Int(($0 * 32_768).rounded()), 2) }
    return Array("RIFF".utf8) + little(36 + data.count, 4) + Array("WAVEfmt ".utf8)
      + little(16, 4) + little(1, 2) + little(1, 2) + little(48_000, 4) + little(96_000, 4)
      + little(2, 2) + little(16, 2) + Array("data".utf8) + little(data.count, 4) + data
  }
}
