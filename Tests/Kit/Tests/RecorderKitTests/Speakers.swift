import Foundation
import RecorderKit

/// A playback device that keeps every frame that it plays, at the pace of the card beside which the
/// tests run.
final class Speakers: Sendable {
  let player: Player
  private let file: URL

  init() {
    file = FileManager.default.temporaryDirectory
      .appending(path: "speakers-\(UUID().uuidString).raw")
    let card = ProcessInfo.processInfo.environment["RECORDER_PACED_CARD"] ?? "null"
    player = Player(on: Device("tee:SLAVE='\(card)',FILE='\(file.path)',FORMAT=raw"))
  }

  deinit { try? FileManager.default.removeItem(at: file) }

  /// The samples of one channel, from the first to the last that is not silent.
  func heard(_ channel: Int = 0) -> [Float] {
    let all = all(channel)
    guard let first = all.firstIndex(where: { $0 != 0 }),
      let last = all.lastIndex(where: { $0 != 0 })
    else { return [] }
    return Array(all[first...last])
  }

  /// Every sample of one channel of two.
  func all(_ channel: Int = 0) -> [Float] {
    guard let data = try? Data(contentsOf: file) else { return [] }
    return data.withUnsafeBytes { bytes in
      stride(from: channel, to: bytes.count / 8 * 2, by: 2).map {
        bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self)
      }
    }
  }
}

/// Sounds of which every frame is known and none is silent.
enum Known {
  static let format = AudioFormat(rate: 48_000, channels: 1)

  /// So many samples, each another one.
  static func samples(_ count: Int) -> [Float] {
    (0..<count).map { Float($0 % 16_000 + 1) / 32_768 }
  }

  static func sound(_ samples: [Float]) throws -> Sound {
    try Sound.frames([AudioBuffer(samples, format: format)])
  }

  /// The bytes of a WAV file of 16 bits that holds those samples.
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
