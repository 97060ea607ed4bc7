/// Numbers in files that are read as they lie, and sums by which damage is noticed.
extension RawSpan {
  /// The number at an offset, as this machine has it in memory; the caller has checked the bounds.
  package func number<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Value.Type = Value.self
  ) -> Value {
    unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: type)
  }

  /// A sum of 64 bits that differs for bytes that differ, unless somebody wants them to agree.
  package var checksum: UInt64 {
    var sum = UInt64(byteCount) &* 0x9E37_79B9_7F4A_7C15
    var offset = 0
    while offset + 8 <= byteCount {
      sum = Self.mixed(sum ^ number(at: offset))
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

extension [UInt8] {
  /// Appends a number as this machine has it in memory.
  package mutating func append<Value: FixedWidthInteger>(number: Value) {
    unsafe Swift.withUnsafeBytes(of: number) { unsafe append(contentsOf: $0) }
  }

  /// The checksum of a part.
  package func checksum(of range: Range<Int>) -> UInt64 {
    unsafe span.extracting(range).bytes.checksum
  }
}
