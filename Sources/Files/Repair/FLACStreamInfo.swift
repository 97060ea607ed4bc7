package import Audio

/// The metadata block that describes a FLAC file's stream (RFC 9639, 8.2).
struct FLACStreamInfo: Hashable {
  /// The block as stored in the file.
  private let bytes: [UInt8]
  /// The number of samples per channel in a block. The last block may be smaller.
  let blockSize: Int
  let rate: SampleRate
  let channels: Int
  let bits: Int
  /// The number of frames that the file states. 0 means unknown.
  let frames: Int64

  /// The offset of the block in the file, after the format's name and the block's own header.
  static let offset = 8
  static let count = 34

  /// Parses the beginning of a file. The result is nil if it is not a FLAC file.
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

  /// Returns a view of a file that states another number of frames.
  static func view(
    _ view: FileView, stating frames: Int64, of file: CheckedFile
  ) throws(SoundFileError) -> FileView {
    let offset = Int64(Self.offset + 13)
    guard let first = try view.bytes(at: offset, upTo: 1, of: file).first else { return view }
    // The number has 36 bits. Its highest four bits share a byte with the bit depth.
    var bytes: [UInt8] = []
    bytes.append(big: frames)
    bytes.removeFirst(3)
    bytes[0] = first & 0xF0 | bytes[0] & 0x0F
    return view.replacing(at: offset, with: bytes)
  }

  /// The format of the samples, or nil if there are too many channels.
  var stream: StreamFormat? {
    let sample: SampleFormat = bits == 24 ? .int24Packed : bits == 32 ? .int32 : .int16
    return ChannelCount(channels).map { StreamFormat(rate: rate, channels: $0, sample: sample) }
  }

  /// Returns the correct header numbers for the frames that were found, or nil if the header
  /// already has them.
  ///
  /// The digest of the samples is kept only if the number of frames is unchanged. Otherwise it is
  /// unknown.
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

  /// The size of the longest frame in bytes: the stated size, else the size of unencoded samples.
  var longestFrame: Int64 {
    let stated = number(24, at: 7)
    return Int64(stated > 0 ? stated : blockSize * channels * (bits + 1) / 8 + 64)
  }

  private func number(_ bits: Int, at offset: Int) -> Int {
    bytes[offset..<(offset + bits / 8)].reduce(0) { $0 << 8 | Int($1) }
  }
}

/// The extent of the frames found in a FLAC file.
struct FLACExtent: Hashable {
  /// The end of the last frame in the file.
  var end: Int64
  /// The number of audio frames up to there.
  var frames: Int64 = 0
  /// The sizes of the shortest and of the longest frame, or 0 before the first.
  var frameBytes = 0...0
}

/// The numbers in a FLAC file's header that depend on its length (RFC 9639, 8.2).
package struct FLACStatement: Hashable, Sendable {
  package var rate: SampleRate
  package var channels: Int
  package var bits: Int
  package var frames: Int64
  /// The sizes of the shortest and of the longest frame, in bytes.
  package var shortest: Int
  package var longest: Int
  /// Whether the digest of the samples is still correct.
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

  /// The offset of the numbers in the file, after its name, a header and the block sizes.
  static let offset = Int64(FLACStreamInfo.offset + 4)
  /// The size of the numbers and the digest after them.
  static let mostBytes = Int64(FLACStreamInfo.count - 4)

  /// Whether each number fits into its field.
  var isPlain: Bool {
    (1...8).contains(channels) && (1...32).contains(bits) && frames >= 0
      && (0..<(1 << 24)).contains(shortest) && (0..<(1 << 24)).contains(longest)
      && rate.hertz < 1 << 20
  }

  /// The encoded numbers. If the digest is no longer correct, it is set to zero, which means
  /// unknown.
  var bytes: [UInt8] {
    // A count that does not fit into 36 bits is stored as 0, which means unknown.
    let total = frames >> 36 == 0 ? UInt64(frames) : 0
    let packed =
      UInt64(rate.hertz) << 44 | UInt64(channels - 1) << 41 | UInt64(bits - 1) << 36 | total
    var bytes: [UInt8] = []
    bytes.append(big: UInt64(shortest) << 24 | UInt64(longest))
    // The two sizes have 48 bits.
    bytes.removeFirst(2)
    bytes.append(big: packed)
    return bytes + [UInt8](repeating: 0, count: keepsDigest ? 0 : 16)
  }
}
