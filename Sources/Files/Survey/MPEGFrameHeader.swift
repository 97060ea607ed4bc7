internal import Audio

/// The first four bytes of an MPEG audio frame (ISO 11172-3, 2.4.1.3; ISO 13818-3).
struct MPEGFrameHeader: Hashable {
  /// The bits that do not change within a stream: sync, version, layer and rate.
  private static let steady: UInt32 = 0xFFFE_0C00

  private let word: UInt32
  /// The size of the frame in bytes, or nil in the free format, which does not state the size.
  let bytes: Int?
  /// The number of audio frames in the MPEG frame.
  let samples: Int
  let layer: Int
  private let isMono: Bool
  /// The number of bytes between the header and the main data of a Layer III frame without a
  /// checksum.
  let sideBytes: Int
  /// The rate in hertz. It does not change within a stream.
  let rate: Int

  /// Parses a header. The result is nil if one of its fields has a reserved value.
  init?(_ word: UInt32) {
    let (version, code) = (word >> 19 & 3, word >> 17 & 3)
    let (bitrate, rate) = (Int(word >> 12 & 15), Int(word >> 10 & 3))
    guard word >> 21 == 0x7FF, version != 1, code != 0, bitrate != 15, rate != 3 else { return nil }
    let isFirstVersion = version == 3
    self.word = word
    layer = 4 - Int(code)
    isMono = word >> 6 & 3 == 3
    self.rate = Self.rates[rate] >> (isFirstVersion ? 0 : version == 2 ? 1 : 2)
    samples = layer == 1 ? 384 : layer == 3 && !isFirstVersion ? 576 : 1_152
    sideBytes = isFirstVersion ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
    let kilobits = Self.kilobits(layer, isFirstVersion)[bitrate]
    let padding = Int(word >> 9 & 1)
    if bitrate == 0 {
      bytes = nil
    } else if layer == 1 {
      bytes = (12_000 * kilobits / self.rate + padding) * 4
    } else {
      bytes = samples / 8 * 1_000 * kilobits / self.rate + padding
    }
  }

  /// Returns whether a frame with the header `other` can belong to the same stream.
  func isCompatible(with other: MPEGFrameHeader) -> Bool {
    word & Self.steady == other.word & Self.steady && isMono == other.isMono
      && (bytes == nil) == (other.bytes == nil)
  }

  /// The number of extra bytes of a padded frame in the free format.
  var freePadding: Int { Int(word >> 9 & 1) * (layer == 1 ? 4 : 1) }

  private static let rates = [44_100, 48_000, 32_000]

  private static func kilobits(_ layer: Int, _ isFirstVersion: Bool) -> [Int] {
    switch (layer, isFirstVersion) {
    case (1, true): firstOfLayer1
    case (2, true): firstOfLayer2
    case (_, true): firstOfLayer3
    case (1, false): laterOfLayer1
    default: laterOfOthers
    }
  }

  // These are static tables, because Swift would create an array literal again for each frame.
  private static let firstOfLayer1 = [
    0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448,
  ]
  private static let firstOfLayer2 = [
    0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384,
  ]
  private static let firstOfLayer3 = [
    0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
  ]
  private static let laterOfLayer1 = [
    0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256,
  ]
  private static let laterOfOthers = [
    0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160,
  ]
}

/// The first frame of many MP3 streams. It contains the length of the stream, and no sound.
struct MPEGInfoFrame {
  /// The stated number of frames, or nil if the frame states no number.
  let claim: Int?
  /// The offset of the stated number within the frame, or nil if decoders do not read this number.
  let claimOffset: Int64?

  /// Parses the frame at `offset`. The result is nil for an ordinary frame.
  ///
  /// Xing and LAME store their data after the side information. Fraunhofer stores its data 32 bytes
  /// after the header.
  init?(
    _ header: MPEGFrameHeader, at offset: Int64, in window: inout FileWindow
  ) throws(SoundFileError) {
    guard header.layer == 3 else { return nil }
    let mark = 4 + header.sideBytes
    if let word = try window.word(at: offset + Int64(mark)), Self.marks.contains(word),
      try Self.isEmpty(from: offset + 6, to: offset + Int64(mark), &window)
    {
      let flags = try window.word(at: offset + Int64(mark) + 4) ?? 0
      let field = offset + Int64(mark) + 8
      let count = flags & 1 == 1 ? try window.word(at: field) : nil
      claim = count.flatMap { $0 > 0 ? Int($0) : nil }
      claimOffset = count == nil ? nil : field - offset
    } else if try window.word(at: offset + 36) == Self.fraunhofer {
      claim = try window.word(at: offset + 36 + 14).flatMap { $0 > 0 ? Int($0) : nil }
      claimOffset = nil
    } else {
      return nil
    }
  }

  /// `Xing` and `Info`.
  private static let marks: Set<UInt32> = [0x5869_6E67, 0x496E_666F]
  /// `VBRI`.
  private static let fraunhofer: UInt32 = 0x5642_5249

  private static func isEmpty(
    from start: Int64, to end: Int64, _ window: inout FileWindow
  ) throws(SoundFileError) -> Bool {
    try window.bytes(at: start, upTo: Int(end - start)).allSatisfy { $0 == 0 }
  }
}
