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
    let sizes = UInt64(shortest) << 24 | UInt64(longest)
    let digest = [UInt8](repeating: 0, count: keepsDigest ? 0 : 16)
    return Self.big(sizes, count: 6) + Self.big(packed, count: 8) + digest
  }

  private static func big(_ number: UInt64, count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }
}

/// One frame of a FLAC file: a block of samples of each channel (RFC 9639, 9).
struct FLACFrame: Hashable {
  let header: FLACFrameHeader
  /// The frame's size in bytes, from its synchronization code to its checksum.
  let byteCount: Int

  /// Parses the frame at the beginning of `bytes`. A frame does not state its length, and its
  /// samples may look like the next frame. So the lengths of all its codes are followed to the end,
  /// and the checksum there is compared.
  init(parsing bytes: Span<UInt8>, of info: FLACStreamInfo) throws(UnitFlaw) {
    var reader = BitReader(bytes)
    header = try FLACFrameHeader(bytes, &reader)
    guard header.fits(info) else { throw .invalid }
    for channel in 0..<header.channels {
      let bits = info.bits + (header.isDifference(channel) ? 1 : 0)
      try reader.skipSubframe(samples: header.blockSize, bits: bits)
    }
    byteCount = reader.bytesRead + 2
    guard byteCount <= bytes.count else { throw .incomplete }
    // The checksum over data that includes its own checksum is zero.
    let checksum = CyclicChecksum.flacFrame(bytes.extracting(..<byteCount))
    if checksum != 0 { throw .invalid }
  }
}

extension BitReader {
  fileprivate mutating func skipSubframe(samples: Int, bits: Int) throws(UnitFlaw) {
    guard try number(1) == 0 else { throw .invalid }
    let kind = try number(6)
    let wasted = try number(1) == 0 ? 0 : zeros() + 1
    let bits = bits - wasted
    guard bits > 0 else { throw .invalid }
    switch kind {
    case 0: try skip(bits)
    case 1: try skip(bits * samples)
    case 8...12: try skipPredicted(samples, bits, order: kind - 8)
    case 32...63: try skipPredicted(samples, bits, order: kind - 31, hasCoefficients: true)
    default: throw .invalid
    }
  }

  private mutating func skipPredicted(
    _ samples: Int, _ bits: Int, order: Int, hasCoefficients: Bool = false
  ) throws(UnitFlaw) {
    try skip(order * bits)
    if hasCoefficients {
      let precision = try number(4) + 1
      guard precision < 16 else { throw .invalid }
      try skip(5 + order * precision)
    }
    try skipResidual(samples, order: order)
  }

  private mutating func skipResidual(_ samples: Int, order: Int) throws(UnitFlaw) {
    let method = try number(2)
    guard method < 2 else { throw .invalid }
    let partitions = 1 << (try number(4))
    let size = samples / partitions
    guard size * partitions == samples, size >= order else { throw .invalid }
    for partition in 0..<partitions {
      try skipPartition(partition == 0 ? size - order : size, parameterBits: 4 + method)
    }
  }

  /// Skips numbers in Rice code. After a parameter that is all ones, they are in plain binary.
  private mutating func skipPartition(_ count: Int, parameterBits: Int) throws(UnitFlaw) {
    let parameter = try number(parameterBits)
    if parameter == 1 << parameterBits - 1 {
      let width = try number(5)
      return try skip(count * width)
    }
    for _ in 0..<count {
      _ = try zeros()
      try skip(parameter)
    }
  }
}

/// The header of a FLAC frame (RFC 9639, 9.1).
struct FLACFrameHeader: Hashable {
  /// The number of samples per channel.
  let blockSize: Int
  let channels: Int
  /// The bits per sample, or nil if only the file's header states them.
  let bits: Int?
  private let number: Int64
  private let countsSamples: Bool
  /// The channel that stores the difference of both and needs one more bit, or nil if each channel
  /// is stored independently.
  private let difference: Int?

  /// Parses the header at the beginning of `bytes` with `reader`. After that, `reader` is at the
  /// end of the header.
  init(_ bytes: Span<UInt8>, _ reader: inout BitReader) throws(UnitFlaw) {
    guard try reader.number(15) == 0x7FFC else { throw .invalid }
    countsSamples = try reader.number(1) == 1
    let (sizeCode, rateCode) = (try reader.number(4), try reader.number(4))
    let (layout, depth) = (try reader.number(4), try reader.number(3))
    guard try reader.number(1) == 0, rateCode != 15, layout < 11, depth != 3 else {
      throw .invalid
    }
    channels = layout < 8 ? layout + 1 : 2
    difference = layout < 8 ? nil : layout == 9 ? 0 : 1
    bits = [nil, 8, 12, nil, 16, 20, 24, 32][depth]
    number = try reader.codedNumber()
    blockSize = try reader.blockSize(sizeCode)
    try reader.skip(rateCode < 12 ? 0 : rateCode == 12 ? 8 : 16)
    let checksum = CyclicChecksum.flacHeader(bytes.extracting(..<reader.bytesRead))
    guard try reader.number(8) == Int(checksum) else { throw .invalid }
  }

  /// Whether a file with this stream description can contain such a frame.
  func fits(_ info: FLACStreamInfo) -> Bool {
    channels == info.channels && bits ?? info.bits == info.bits && blockSize <= info.blockSize
  }

  func isDifference(_ channel: Int) -> Bool { channel == difference }

  /// Returns the position of the frame's first sample.
  func start(in info: FLACStreamInfo) -> Int64 {
    countsSamples ? number : number * Int64(info.blockSize)
  }
}

extension BitReader {
  /// Reads a number in an encoding like UTF-8, in up to 7 bytes (RFC 9639, 9.1.5).
  fileprivate mutating func codedNumber() throws(UnitFlaw) -> Int64 {
    let first = UInt8(try number(8))
    let ones = (~first).leadingZeroBitCount
    guard ones != 1, ones < 8 else { throw .invalid }
    var value = Int64(first & (0x7F >> UInt8(ones)))
    for _ in 0..<max(0, ones - 1) {
      let next = try number(8)
      guard next >> 6 == 2 else { throw .invalid }
      value = value << 6 | Int64(next & 0x3F)
    }
    return value
  }

  /// Reads the number of samples of a block (RFC 9639, 9.1.1 and 9.1.6).
  fileprivate mutating func blockSize(_ code: Int) throws(UnitFlaw) -> Int {
    switch code {
    case 1: 192
    case 2...5: 144 << code
    case 6: try number(8) + 1
    case 7: try number(16) + 1
    case 8...15: 1 << code
    default: throw .invalid
    }
  }
}

/// A reader of numbers of any width, with the highest bit first.
struct BitReader: ~Escapable {
  private let bytes: Span<UInt8>
  private var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// The number of bytes read, including a partly read byte.
  var bytesRead: Int { (position + 7) / 8 }

  mutating func skip(_ count: Int) throws(UnitFlaw) {
    guard count <= bytes.count * 8 - position else { throw .incomplete }
    position += count
  }

  /// Reads a number of up to 32 bits.
  mutating func number(_ count: Int) throws(UnitFlaw) -> Int {
    let bits = following
    try skip(count)
    return Int(bits >> UInt64(64 - count))
  }

  /// Counts the zero bits before the next one bit, and skips that bit too.
  mutating func zeros() throws(UnitFlaw) -> Int {
    var count = 0
    while following == 0 {
      try skip(Self.sureBits)
      count += Self.sureBits
    }
    let rest = following.leadingZeroBitCount
    try skip(rest + 1)
    return count + rest
  }

  /// The number of valid bits that `following` has at least, at any bit position.
  private static let sureBits = 56

  /// The next bits, with the first one at the top. Bits after the end are zero.
  private var following: UInt64 {
    let index = position >> 3
    return word(at: index) << UInt64(position & 7)
  }

  private func word(at index: Int) -> UInt64 {
    if index + 8 <= bytes.count {
      let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      return UInt64(bigEndian: word)
    }
    return (0..<8).reduce(0) { word, byte in
      word << 8 | (index + byte < bytes.count ? UInt64(bytes[index + byte]) : 0)
    }
  }
}
