/// Numbers that are read from binary files without conversion, and checksums that detect damage.
extension RawSpan {
  /// Returns the number at an offset, in this machine's byte order. The caller must have checked
  /// the bounds.
  package func number<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Value.Type = Value.self
  ) -> Value {
    unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: type)
  }

  /// A 64-bit checksum, the same on every machine. It detects accidental damage, but not deliberate
  /// changes.
  package var checksum: UInt64 {
    var sum = UInt64(byteCount) &* 0x9E37_79B9_7F4A_7C15
    var offset = 0
    while offset + 8 <= byteCount {
      sum = Self.mixed(sum ^ UInt64(littleEndian: number(at: offset)))
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < byteCount {
      rest = rest << 8 | UInt64(number(at: offset, as: UInt8.self))
      offset += 1
    }
    return Self.mixed(sum ^ rest)
  }

  private static func mixed(_ word: UInt64) -> UInt64 {
    let product = word &* 0xFF51_AFD7_ED55_8CCD
    return product ^ product >> 32
  }
}

extension Span<UInt8> {
  /// The 64-bit checksum of the bytes.
  package var checksum: UInt64 { unsafe bytes.checksum }
}

extension [UInt8] {
  /// Appends a number in this machine's byte order.
  package mutating func append<Value: FixedWidthInteger>(number: Value) {
    unsafe Swift.withUnsafeBytes(of: number) { unsafe append(contentsOf: $0) }
  }

  /// Returns the checksum of a range.
  package func checksum(of range: Range<Int>) -> UInt64 {
    unsafe span.extracting(range).bytes.checksum
  }
}
