/// One page of an Ogg file (RFC 3533, 6).
struct OggPage: Hashable {
  /// Whether the page is the last of its stream.
  let isLast: Bool
  /// The position at the end of the last packet that ends on the page, or −1 if no packet ends on
  /// it.
  let granule: Int64
  let serial: UInt32
  let sequence: UInt32
  let byteCount: Int

  /// The maximum size of a page in bytes.
  static let mostBytes = 65_307

  private static let headCount = 27
  private static let checksumField = 22..<26
  private static let lastFlag: UInt8 = 4

  /// Parses the page at the beginning of `bytes`.
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

  /// Returns the numbers that make the page at `offset` the last of its stream.
  static func ending(_ page: [UInt8], at offset: Int64) -> OggEnding {
    var page = page
    page[5] |= lastFlag
    return OggEnding(
      page: offset, flags: UInt32(page[5]), granule: page.span.number(at: 6),
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
  /// Returns a little-endian number.
  fileprivate func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
    (0..<(Number.bitWidth / 8)).reduce(0) { number, index in
      number | Number(truncatingIfNeeded: self[offset + index]) << Number(8 * index)
    }
  }
}

/// The new header numbers of the page of an Ogg file that becomes its last page (RFC 3533, 6).
package struct OggEnding: Hashable, Sendable {
  /// The offset of the page in the file.
  package var page: Int64
  package var flags: UInt32
  package var granule: Int64
  package var serial: UInt32
  package var sequence: UInt32
  package var checksum: UInt32

  package init(
    page: Int64, flags: UInt32, granule: Int64, serial: UInt32, sequence: UInt32, checksum: UInt32
  ) {
    self.page = page
    self.flags = flags
    self.granule = granule
    self.serial = serial
    self.sequence = sequence
    self.checksum = checksum
  }

  /// The size of a page without segments.
  static let leastPage: Int64 = 27

  /// The offset of the numbers in the file, after the page's name and version.
  var offset: Int64 { page + 5 }

  /// The encoded numbers, which are adjacent in the file.
  var bytes: [UInt8] {
    [UInt8(truncatingIfNeeded: flags)] + Self.little(UInt64(bitPattern: granule), count: 8)
      + [serial, sequence, checksum].flatMap { Self.little(UInt64($0), count: 4) }
  }

  private static func little(_ number: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }
}
