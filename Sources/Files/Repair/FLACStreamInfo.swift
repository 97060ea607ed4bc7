package import Audio

/// The block of metadata that describes a FLAC file's stream (RFC 9639, 8.2).
struct FLACStreamInfo: Hashable {
  /// As it stands in the file.
  private let bytes: [UInt8]
  /// The samples of a block of each channel; the last may be smaller.
  let blockSize: Int
  let rate: SampleRate
  let channels: Int
  let bits: Int
  /// The frames that the file says it holds; 0 stands for "unknown".
  let frames: Int64

  /// The block's place: behind the name of the format and a header of its own.
  static let offset = 8
  static let count = 34

  /// Reads the beginning of a file; nil where it is not that of a FLAC file.
  init?(parsing head: [UInt8]) {
    let start: [UInt8] = Array("fLaC".utf8) + [0, 0, 0, UInt8(Self.count)]
    guard head.count >= Self.offset + Self.count, head[4] & 0x7F == 0,
      head.prefix(4) == start.prefix(4), head[5..<8] == start[5..<8]
    else { return nil }
    bytes = Array(head[Self.offset..<(Self.offset + Self.count)])
    let packed = bytes[10..<18].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard let rate = SampleRate(Int(packed >> 44)) else { return nil }
    self.rate = rate
    blockSize = Int(bytes[2]) << 8 | Int(bytes[3])
    channels = Int(packed >> 41 & 7) + 1
    bits = Int(packed >> 36 & 31) + 1
    frames = Int64(packed & 0xF_FFFF_FFFF)
  }

  /// The form of the samples; nil for more channels than any stream has.
  var stream: StreamFormat? {
    let sample: SampleFormat = bits == 24 ? .int24Packed : bits == 32 ? .int32 : .int16
    return ChannelCount(channels).map { StreamFormat(rate: rate, channels: $0, sample: sample) }
  }

  /// The numbers that it is to have in a file that holds what was found in it; nil where it has
  /// them.
  ///
  /// The digest of the samples stays only where their number does: of others it is not known.
  func correction(for extent: FLACExtent) -> FLACStatement? {
    let isCounted = extent.frames == frames
    let sizes = extent.frameBytes
    if isCounted, number(24, at: 4) == sizes.lowerBound, number(24, at: 7) == sizes.upperBound {
      return nil
    }
    return FLACStatement(
      rate: rate, channels: channels, bits: bits, frames: extent.frames,
      shortest: sizes.lowerBound, longest: sizes.upperBound, keepsDigest: isCounted)
  }

  private func number(_ bits: Int, at offset: Int) -> Int {
    bytes[offset..<(offset + bits / 8)].reduce(0) { $0 << 8 | Int($1) }
  }
}

/// The reach of a FLAC file's frames.
struct FLACExtent: Hashable {
  /// The end of the last of them in the file.
  var end: Int64
  /// The audio up to there.
  var frames: Int64 = 0
  /// The lengths of the shortest and of the longest; 0 before the first.
  var frameBytes = 0...0
}

/// The numbers of a FLAC file's header that depend on its length (RFC 9639, 8.2).
package struct FLACStatement: Hashable, Sendable {
  package var rate: SampleRate
  package var channels: Int
  package var bits: Int
  package var frames: Int64
  /// The lengths of the shortest frame and of the longest, in bytes.
  package var shortest: Int
  package var longest: Int
  /// True if the digest of the samples is still theirs.
  package var keepsDigest: Bool

  package init(
    rate: SampleRate, channels: Int, bits: Int, frames: Int64, shortest: Int, longest: Int,
    keepsDigest: Bool
  ) {
    self.rate = rate
    self.channels = channels
    self.bits = bits
    self.frames = frames
    self.shortest = shortest
    self.longest = longest
    self.keepsDigest = keepsDigest
  }

  /// The place of the numbers in the file: behind its name, a header and the sizes of blocks.
  static let place = Int64(FLACStreamInfo.offset + 4)
  /// As many bytes as they take with the digest behind them.
  static let mostBytes = Int64(FLACStreamInfo.count - 4)

  /// True if each number has room in its field.
  var isPlain: Bool {
    (1...8).contains(channels) && (1...32).contains(bits) && frames >= 0
      && (0..<(1 << 24)).contains(shortest) && (0..<(1 << 24)).contains(longest)
      && rate.hertz < 1 << 20
  }

  /// The bytes that stand for them; a digest of other samples becomes that of unknown ones.
  var bytes: [UInt8] {
    // A count that does not fit into 36 bits is unknown.
    let total = frames >> 36 == 0 ? UInt64(frames) : 0
    let packed =
      UInt64(rate.hertz) << 44 | UInt64(channels - 1) << 41 | UInt64(bits - 1) << 36 | total
    let sizes = UInt64(shortest) << 24 | UInt64(longest)
    let digest = [UInt8](repeating: 0, count: keepsDigest ? 0 : 16)
    return Self.big(sizes, count: 6) + Self.big(packed, count: 8) + digest
  }

  private static func big(_ number: UInt64, count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }
}
