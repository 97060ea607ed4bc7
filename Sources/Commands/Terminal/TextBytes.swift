/// Functions that write texts as bytes. They are faster than the functions of `String`.
extension [UInt8] {
  mutating func append(_ text: some StringProtocol) { append(contentsOf: text.utf8) }

  /// Appends an ASCII text, with spaces before it up to a width.
  mutating func append(_ text: String, to width: Int) {
    for _ in 0..<Swift.max(0, width - text.utf8.count) { append(UInt8(ascii: " ")) }
    append(contentsOf: text.utf8)
  }

  /// Appends an ASCII text, with spaces after it up to a width.
  mutating func append(_ text: String, filledTo width: Int) {
    append(contentsOf: text.utf8)
    for _ in 0..<Swift.max(0, width - text.utf8.count) { append(UInt8(ascii: " ")) }
  }

  /// Appends the last decimal digits of a number that is not negative.
  mutating func append(number: Int64, digits: Int) {
    var unit: Int64 = 1
    for _ in 1..<digits { unit *= 10 }
    while unit > 0 {
      append(UInt8(ascii: "0") + UInt8(number / unit % 10))
      unit /= 10
    }
  }
}
