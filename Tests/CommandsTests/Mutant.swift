import Support

/// JSON text with random changes.
enum Mutant {
  private static let numbers = [
    "0", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
    "4503599627370496", "1e308", "-1e19", "0.1", "1e-320",
  ]
  private static let words = [
    #"\u001b[31m"#, #"\u0007"#, #"\u009b"#, #"\u202e"#, #"\u0000"#, "../../x", "\u{301}", "",
    String(repeating: "x", count: 5_000), #"\r\n"#,
  ]

  /// Returns the bytes with one to three changes. The kinds of change differ in how much of the
  /// JSON they keep.
  static func bytes(of bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.removeSubrange(place..<min(bytes.count, place + 9))
      case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 30)], at: place)
      case 4: replaceNumber(in: &bytes, from: place, &random)
      default: replaceWord(in: &bytes, from: place, &random)
      }
    }
    return bytes
  }

  private static func replaceNumber(
    in bytes: inout [UInt8], from place: Int, _ random: inout SeededGenerator
  ) {
    let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    guard let start = bytes[place...].firstIndex(where: isDigit) else { return }
    let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.endIndex
    let number = numbers.randomElement(using: &random) ?? "0"
    bytes.replaceSubrange(start..<end, with: number.utf8)
  }

  private static func replaceWord(
    in bytes: inout [UInt8], from place: Int, _ random: inout SeededGenerator
  ) {
    let quote = UInt8(ascii: "\"")
    guard let start = bytes[place...].firstIndex(of: quote),
      let end = bytes[(start + 1)...].firstIndex(of: quote)
    else { return }
    let word = words.randomElement(using: &random) ?? ""
    bytes.replaceSubrange((start + 1)..<end, with: word.utf8)
  }
}
