/// The header of a frame of a FLAC file (RFC 9639, 9.1).
struct FLACFrameHeader: Hashable {
  /// The samples of each channel.
  let blockSize: Int
  let channels: Int
  /// Bits a sample; nil where the file's own header says it.
  let bits: Int?
  private let number: Int64
  private let countsSamples: Bool
  /// The channel that is the difference of both, and takes a bit more; nil where each stands for itself.
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
