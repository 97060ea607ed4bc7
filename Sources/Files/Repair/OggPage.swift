/// One page of an Ogg file (RFC 3533, 6).
struct OggPage: Hashable {
  /// True where the page is the last of its stream.
  let isLast: Bool
  /// The position at the end of the last packet that ends on it; −1 where none does.
  let granule: Int64
  let serial: UInt32
  let sequence: UInt32
  let byteCount: Int

  /// The bytes of the largest page that can be.
  static let mostBytes = 65_307

  private static let headCount = 27
  private static let checksumField = 22..<26
  private static let lastFlag: UInt8 = 4

  /// Reads the page that `bytes` begin with.
  init(parsing bytes: Span<UInt8>) throws(UnitFlaw) {
    for (index, letter) in "OggS\0".utf8.enumerated() {
      guard index < bytes.count else { throw .incomplete }
      guard bytes[index] == letter else { throw .invalid }
    }
    guard bytes.count >= Self.headCount else { throw .incomplete }
    let segments = Self.headCount..<(Self.headCount + Int(bytes[26]))
    guard bytes.count >= segments.upperBound else { throw .incomplete }
    byteCount = segments.upperBound + segments.reduce(0) { $0 + Int(bytes[$1]) }
    guard bytes.count >= byteCount else { throw .incomplete }
    isLast = bytes[5] & Self.lastFlag != 0
    granule = bytes.number(at: 6)
    serial = bytes.number(at: 14)
    sequence = bytes.number(at: 18)
    let checksum = Self.checksum(bytes.extracting(..<byteCount))
    guard bytes.number(at: Self.checksumField.lowerBound) == checksum else { throw .invalid }
  }

  /// The numbers that make a page that begins at `place` the last of its stream.
  static func ending(_ page: [UInt8], at place: Int64) -> OggEnding {
    var page = page
    page[5] |= lastFlag
    return OggEnding(
      page: place, flags: UInt32(page[5]), granule: page.span.number(at: 6),
      serial: page.span.number(at: 14), sequence: page.span.number(at: 18),
      checksum: checksum(page.span))
  }

  private static func checksum(_ page: Span<UInt8>) -> UInt32 {
    let empty: [UInt8] = [0, 0, 0, 0]
    let start = CyclicChecksum.oggPage(page.extracting(..<checksumField.lowerBound))
    let middle = CyclicChecksum.oggPage(empty.span, from: start)
    return CyclicChecksum.oggPage(page.extracting(checksumField.upperBound...), from: middle)
  }
}

extension Span<UInt8> {
  /// A number whose lowest byte comes first.
  fileprivate func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
    (0..<(Number.bitWidth / 8)).reduce(0) { number, index in
      number | Number(truncatingIfNeeded: self[offset + index]) << Number(8 * index)
    }
  }
}
