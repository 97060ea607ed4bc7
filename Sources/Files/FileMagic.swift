/// The first bytes of the sound files that are read: what begins otherwise is not decoded at all.
enum FileMagic {
  /// The most bytes that `isKnown` looks at.
  static let count = 16

  /// Whether a file that begins so is one of WAV, RF64, W64, FLAC, Ogg, AIFF, AIFC, AU, CAF or MP3.
  static func isKnown(_ head: [UInt8]) -> Bool {
    patterns.contains { pattern in
      pattern.allSatisfy { head.dropFirst($0.offset).starts(with: $0.bytes) }
    } || isMPEGFrame(head)
  }

  private typealias Part = (offset: Int, bytes: [UInt8])

  private static let patterns: [[Part]] = [
    [text(0, "RIFF"), text(8, "WAVE")],
    [text(0, "RF64"), text(8, "WAVE")],
    [
      (0, [0x72, 0x69, 0x66, 0x66, 0x2E, 0x91, 0xCF, 0x11]),
      (8, [0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00]),
    ],
    [text(0, "fLaC")],
    [text(0, "OggS")],
    [text(0, "FORM"), text(8, "AIFF")],
    [text(0, "FORM"), text(8, "AIFC")],
    [text(0, ".snd")],
    [text(0, "caff")],
    [text(0, "ID3")],
  ]

  private static func text(_ offset: Int, _ text: String) -> Part { (offset, Array(text.utf8)) }

  /// ISO 11172-3, 2.4.1.3: eleven set bits, then no value that is reserved or "free".
  private static func isMPEGFrame(_ head: [UInt8]) -> Bool {
    guard head.count >= 4, head[0] == 0xFF, head[1] & 0xE0 == 0xE0 else { return false }
    let (version, layer) = (head[1] >> 3 & 3, head[1] >> 1 & 3)
    let (bitrate, rate) = (head[2] >> 4, head[2] >> 2 & 3)
    return version != 1 && layer != 0 && bitrate != 0 && bitrate != 15 && rate != 3
  }
}
