/// A WAV file made by hand, with the oddities that other programs write.
struct WaveBytes {
  var bytes: [UInt8] = []

  /// Appends a chunk with the given size, or with the size of its content.
  mutating func chunk(_ name: String, _ content: [UInt8], size: Int? = nil, padded: Bool = true) {
    bytes += Array(name.utf8) + Self.little(size ?? content.count, 4) + content
    if padded && !content.count.isMultiple(of: 2) { bytes.append(0) }
  }

  /// Returns the description of 16-bit samples, in the short form or as WAVE_FORMAT_EXTENSIBLE.
  static func format(channels: Int, rate: Int = 48_000, isExtensible: Bool = false) -> [UInt8] {
    let plain =
      little(channels, 2) + little(rate, 4) + little(rate * channels * 2, 4)
      + little(channels * 2, 2) + little(16, 2)
    guard isExtensible else { return little(1, 2) + plain }
    let identifier: [UInt8] = [
      1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71,
    ]
    return little(0xFFFE, 2) + plain + little(22, 2) + little(16, 2) + little(3, 4) + identifier
  }

  /// Returns a whole file around some chunks.
  static func file(size: Int? = nil, _ make: (inout WaveBytes) -> Void) -> [UInt8] {
    var wave = WaveBytes()
    make(&wave)
    let riff = Array("RIFF".utf8) + little(size ?? wave.bytes.count + 4, 4)
    return riff + Array("WAVE".utf8) + wave.bytes
  }

  /// Returns a plain file with 16-bit samples at 48 kHz.
  static func file(_ samples: [Int16], channels: Int) -> [UInt8] {
    file { wave in
      wave.chunk("fmt ", format(channels: channels))
      wave.chunk("data", bytes(samples))
    }
  }

  static func bytes(_ samples: [Int16]) -> [UInt8] {
    samples.withUnsafeBytes { Array($0) }
  }

  static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
