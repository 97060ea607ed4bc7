internal import Audio

/// The block of metadata that describes a FLAC file's stream (RFC 9639, 8.2).
struct FLACStreamInfo: Hashable {
  /// As it stands in the file.
  private(set) var bytes: [UInt8]
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

  /// The same block with the lengths and the number of frames that were found in the file.
  ///
  /// The digest of the samples stays only if their number does; for other samples it is not known.
  func stating(_ extent: FLACExtent) -> FLACStreamInfo {
    var other = self
    other.replace(24, at: 4, with: extent.frameBytes.lowerBound)
    other.replace(24, at: 7, with: extent.frameBytes.upperBound)
    guard extent.frames != frames else { return other }
    let total = extent.frames >> 36 == 0 ? extent.frames : 0
    other.bytes[13] = bytes[13] & 0xF0 | UInt8(total >> 32)
    other.replace(32, at: 14, with: Int(total & 0xFFFF_FFFF))
    other.bytes.replaceSubrange(18..., with: repeatElement(0, count: 16))
    return other
  }

  private mutating func replace(_ bits: Int, at offset: Int, with number: Int) {
    for index in 0..<(bits / 8) {
      bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (bits - 8 - 8 * index))
    }
  }
}
