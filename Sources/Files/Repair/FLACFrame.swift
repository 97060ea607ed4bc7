/// One frame of a FLAC file: a block of samples of each channel (RFC 9639, 9).
struct FLACFrame: Hashable {
  let header: FLACFrameHeader
  /// The frame's bytes, from its synchronisation code to its checksum.
  let byteCount: Int

  /// Reads the frame that `bytes` begin with.
  /// Nothing in a frame states its length, and samples may look like the next frame; so the lengths of all its codes
  /// are followed to the end, to find the checksum there.
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
