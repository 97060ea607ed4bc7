import Linux
import Support
import Testing

@Suite("Foreign text cannot control a terminal")
struct PrintableTextTests {
  @Test(
    "What a terminal obeys or hides becomes visible",
    arguments: [
      ("plain ~ text", "plain ~ text"), ("é 日本 😀", "é 日本 😀"), ("a\nb\tc\r", "a\\nb\\tc\\r"),
      ("\u{1B}[31m", "\\x1B[31m"), ("\0\u{7F}", "\\x00\\x7F"), ("\u{9B}2J", "\\u{009B}2J"),
      ("\u{202E}gpj", "\\u{202E}gpj"), ("\u{2066}\u{2069}", "\\u{2066}\\u{2069}"),
      ("a\u{200B}\u{FEFF}b", "a\\u{200B}\\u{FEFF}b"), ("\u{2028}", "\\u{2028}"),
      ("\u{E0041}", "\\u{E0041}"), ("back\\slash", "back\\slash"), ("", ""),
    ])
  func table(text: String, escaped: String) {
    #expect(PrintableText.escape(text) == escaped)
    #expect(PrintableText.escape(bytes: text.utf8) == escaped)
  }

  @Test(
    "Bytes that are no UTF-8 are shown one by one",
    arguments: [
      ([0x61, 0xFF, 0x62], "a\\xFFb"), ([0x9B, 0x32], "\\x9B2"), ([0xC0, 0x80], "\\xC0\\x80"),
      ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"), ([0xE2, 0x82], "\\xE2\\x82"),
      ([0xC3, 0xA9, 0xC3], "é\\xC3"),
    ] as [([UInt8], String)])
  func bytes(bytes: [UInt8], escaped: String) {
    #expect(PrintableText.escape(bytes: bytes) == escaped)
  }

  @Test("Only harmless characters come out, and a second pass changes nothing")
  func fuzz() {
    var random = SeededGenerator(seed: 12)
    for _ in 0..<20_000 {
      let bytes = random.bytes(Int.random(in: 0...40, using: &random))
      let escaped = PrintableText.escape(bytes: bytes)
      #expect(escaped.unicodeScalars.allSatisfy { $0.isHarmlessOnTerminal })
      #expect(PrintableText.escape(escaped) == escaped)
    }
  }
}
