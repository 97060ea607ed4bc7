import Foundation

/// A playback device that writes the frames it plays to a file, at the pace of the tests' sound
/// card.
///
/// `scripts/test-kit` defines the PCM `tape`.
public struct Tape: Sendable {
  /// The name of the device.
  public let device: String
  private let file: URL

  /// Creates a tape in a file of `scratch`.
  public init(_ scratch: Scratch, _ name: String = "tape.raw") {
    file = scratch.file(name)
    device = "tape:FILE=\(file.path)"
  }

  /// Creates a tape in a file that another device writes.
  public init(_ file: URL, writtenBy device: String) {
    self.file = file
    self.device = device
  }

  /// The number of frames on the tape.
  public var frames: Int {
    let size = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
    return (size ?? 0) / 8
  }

  /// Waits until the tape has `count` more frames.
  public func advance(by count: Int, isolation: isolated (any Actor)? = #isolation) async throws {
    let end = frames + count
    try await eventually { frames >= end }
  }

  /// All samples that were played, including silence. Each frame has two.
  public var samples: [Float] {
    guard let data = try? Data(contentsOf: file) else { return [] }
    return data.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
    }
  }

  /// Returns the samples of one channel, including silence.
  public func all(_ channel: Int) -> [Float] {
    let samples = samples
    return stride(from: channel, to: samples.count - samples.count % 2, by: 2).map { samples[$0] }
  }

  /// Returns the samples of one channel, without silence at the beginning and at the end.
  public func channel(_ channel: Int) -> [Float] {
    let all = all(channel)
    guard let first = all.firstIndex(where: { $0 != 0 }),
      let last = all.lastIndex(where: { $0 != 0 })
    else { return [] }
    return Array(all[first...last])
  }
}
