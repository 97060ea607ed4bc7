internal import Audio

/// The metadata block that describes a FLAC file's stream (RFC 9639, 8.2).
struct FLACStreamInfo: Hashable {
  /// The bytes of the metadata block.
  private let bytes: [UInt8]
  /// The number of samples per channel in an audio block. The last audio block may be smaller.
  let blockSize: Int
  let rate: SampleRate
  let channels: Int
  let bits: Int
  /// The number of frames that the file states. 0 means unknown.
  let frames: Int64

  /// The offset of the metadata block in the file. The name `fLaC` and the header of this block
  /// precede it.
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

  /// Returns a copy of `view` whose header states another number of frames.
  static func view(
    _ view: FileView, stating frames: Int64, of file: CheckedFile
  ) throws(SoundFileError) -> FileView {
    let offset = Int64(Self.offset + 13)
    guard let first = try view.bytes(at: offset, upTo: 1, of: file).first else { return view }
    // The number has 36 bits. Its highest four bits share a byte with the bit depth.
    var bytes = Array(frames.bigBytes.dropFirst(3))
    bytes[0] = first & 0xF0 | bytes[0] & 0x0F
    return view.replacing(at: offset, with: bytes)
  }

  /// The format of the samples, or nil if there are too many channels.
  var stream: StreamFormat? {
    let sample: SampleFormat = bits == 24 ? .int24Packed : bits == 32 ? .int32 : .int16
    return ChannelCount(channels).map { StreamFormat(rate: rate, channels: $0, sample: sample) }
  }

  /// Returns the patch with the correct numbers for the FLAC frames that were found (RFC 9639,
  /// 8.2). Returns nil if the numbers in the file are already correct.
  ///
  /// The digest of the samples is kept only if the number of audio frames is unchanged. Otherwise
  /// the patch sets the digest to zero, which means unknown.
  func correction(for extent: FLACExtent) -> FilePatch? {
    let isCounted = extent.frames == frames
    let sizes = extent.frameBytes
    if isCounted, number(24, at: 4) == sizes.lowerBound, number(24, at: 7) == sizes.upperBound {
      return nil
    }
    // A count that does not fit into 36 bits is stored as 0, which means unknown.
    let total = extent.frames >> 36 == 0 ? extent.frames : 0
    // The two sizes have 48 bits together.
    let limits = (UInt64(sizes.lowerBound) << 24 | UInt64(sizes.upperBound)).bigBytes.dropFirst(2)
    let count = (number(64, at: 10) & ~0xF_FFFF_FFFF | Int(total)).bigBytes
    let digest = [UInt8](repeating: 0, count: isCounted ? 0 : 16)
    return FilePatch(offset: Int64(Self.offset + 4), bytes: Array(limits) + count + digest)
  }

  /// The maximum size of a FLAC frame in bytes: the stated size, or the size of an unencoded frame
  /// if the file states no size.
  var longestFrame: Int64 {
    let stated = number(24, at: 7)
    return Int64(stated > 0 ? stated : blockSize * channels * (bits + 1) / 8 + 64)
  }

  private func number(_ bits: Int, at offset: Int) -> Int {
    bytes[offset..<(offset + bits / 8)].reduce(0) { $0 << 8 | Int($1) }
  }
}

/// The extent of the FLAC frames that were found in a file.
struct FLACExtent: Hashable {
  /// The offset in the file after the last FLAC frame.
  var end: Int64
  /// The number of audio frames up to `end`.
  var frames: Int64 = 0
  /// The smallest and the largest size of a FLAC frame in bytes. Both are 0 before the first frame.
  var frameBytes = 0...0
}
