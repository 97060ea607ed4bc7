/// Bytes as RIFF lays them out: little-endian numbers and four-letter names.
extension [UInt8] {
  mutating func append(name: String) { append(contentsOf: name.utf8) }

  mutating func append<Number: FixedWidthInteger>(little number: Number) {
    for byte in 0..<(Number.bitWidth / 8) {
      append(UInt8(truncatingIfNeeded: number >> (8 * byte)))
    }
  }

  /// A number of 32 bits, or the largest there is, which stands for "see the ds64 chunk".
  mutating func append(clamping number: Int64) { append(little: UInt32(clamping: number)) }

  /// A chunk: its name, its size, its content, and a byte more where the size is odd.
  mutating func append(chunk name: String, _ content: [UInt8]) {
    append(name: name)
    append(little: UInt32(content.count))
    append(contentsOf: content)
    if !content.count.isMultiple(of: 2) { append(0) }
  }

  func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
    (0..<(Number.bitWidth / 8)).reduce(0) { $0 | Number(self[offset + $1]) << (8 * $1) }
  }

  func name(at offset: Int) -> String {
    String(decoding: self[offset..<(offset + 4)], as: UTF8.self)
  }
}
