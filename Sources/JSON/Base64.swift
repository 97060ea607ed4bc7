/// The base64 encoding of bytes (RFC 4648, section 4).
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// Returns the encoded bytes, padded to a multiple of four characters.
  package static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index + 3 <= bytes.count {
      append(bytes[index], bytes[index + 1], bytes[index + 2], 4, to: &text)
      index += 3
    }
    switch bytes.count - index {
    case 1: append(bytes[index], 0, 0, 2, to: &text)
    case 2: append(bytes[index], bytes[index + 1], 0, 3, to: &text)
    default: break
    }
    return text
  }

  /// Appends the first `count` characters of three bytes, then padding.
  private static func append(
    _ first: UInt8, _ second: UInt8, _ third: UInt8, _ count: Int, to text: inout [UInt8]
  ) {
    let bits = Int(first) << 16 | Int(second) << 8 | Int(third)
    text.append(alphabet[bits >> 18])
    text.append(alphabet[bits >> 12 & 63])
    text.append(count > 2 ? alphabet[bits >> 6 & 63] : padding)
    text.append(count > 3 ? alphabet[bits & 63] : padding)
  }

  /// Returns the bytes of padded text, or nil if the text is not valid base64.
  package static func decode(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 4) else { return nil }
    let padded = characters.suffix(2).count { $0 == padding }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count / 4 * 3)
    var (bits, bitCount) = (0, 0)
    for character in characters.dropLast(padded) {
      let value = values[Int(character)]
      guard value >= 0 else { return nil }
      (bits, bitCount) = (bits << 6 & 0xFF_FFFF | Int(value), bitCount + 6)
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    return bytes
  }

  /// The value of each character, or -1 for a character outside the alphabet.
  private static let values: [Int8] = {
    var values = [Int8](repeating: -1, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = Int8(value) }
    return values
  }()
}
