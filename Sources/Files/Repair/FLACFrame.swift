/// One frame of a FLAC file: a block of samples of each channel (RFC 9639, 9).
struct FLACFrame: Hashable {
  let header: FLACFrameHeader
  /// The frame's bytes, from its synchronisation code to its checksum.
  let byteCount: Int

  /// Reads the frame that `bytes` begin with. Nothing in a frame states its length, and samples may
  /// look like the next frame; so the lengths of all its codes are followed to the end, to find the
  /// checksum there.
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
    // A checksum behind the bytes that it covers makes the whole of it zero.
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

  /// Passes numbers in Rice's code, or in plain binary behind the parameter that is all ones.
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

/// The header of a frame of a FLAC file (RFC 9639, 9.1).
struct FLACFrameHeader: Hashable {
  /// The samples of each channel.
  let blockSize: Int
  let channels: Int
  /// Bits a sample; nil where the file's own header says it.
  let bits: Int?
  private let number: Int64
  private let countsSamples: Bool
  /// The channel that is the difference of both, and takes a bit more; nil where each stands for
  /// itself.
  private let difference: Int?

  /// Reads the header that `bytes` begin with through `reader`, which continues behind it.
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

  /// True where a file with this header can hold such a frame.
  func fits(_ info: FLACStreamInfo) -> Bool {
    channels == info.channels && bits ?? info.bits == info.bits && blockSize <= info.blockSize
  }

  func isDifference(_ channel: Int) -> Bool { channel == difference }

  /// The position of its first sample.
  func start(in info: FLACStreamInfo) -> Int64 {
    countsSamples ? number : number * Int64(info.blockSize)
  }
}

extension BitReader {
  /// A number in the manner of UTF-8, in up to 7 bytes (RFC 9639, 9.1.5).
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

  /// The samples of a block (RFC 9639, 9.1.1 and 9.1.6).
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
