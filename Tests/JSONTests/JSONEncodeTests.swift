import JSON
import Support
import Testing

@Suite("JSON is written so that it reads back the same")
struct JSONEncodeTests {
  @Test("Keys keep their order, in one line or indented")
  func shapes() {
    let value: JSONValue = ["z": 1, "a": [true, nil], "m": [:], "e": []]
    #expect(value.encoded() == #"{"z":1,"a":[true,null],"m":{},"e":[]}"#)
    #expect(
      value.encoded(indented: true) == """
        {
          "z": 1,
          "a": [
            true,
            null
          ],
          "m": {},
          "e": []
        }
        """)
  }

  @Test(
    "What a terminal would obey or hide is escaped",
    arguments: [
      ("a\"b\\c/", #""a\"b\\c/""#), ("\n\t\r", #""\n\t\r""#),
      ("\0\u{1B}\u{7F}", #""\u0000\u001b\u007f""#),
      ("\u{85}\u{9B}", #""\u0085\u009b""#), ("\u{202E}\u{200B}\u{2028}", #""\u202e\u200b\u2028""#),
      ("\u{E0041}", #""\udb40\udc41""#), ("é😀", "\"é😀\""),
    ])
  func strings(text: String, encoded: String) throws {
    #expect(JSONValue.string(text).encoded() == encoded)
    #expect(try JSONValue(decoding: encoded) == .string(text))
  }

  @Test("A number that is not finite is null", arguments: [Double.nan, .infinity, -.infinity])
  func notFinite(number: Double) {
    #expect(JSONValue.number(number).encoded() == "null")
  }

  @Test("Every finite number and every integer reads back exactly")
  func numbers() throws {
    var random = SeededGenerator(seed: 3)
    var numbers: [Double] = [
      0, 0.1, 1e16, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -2.5e-10,
    ]
    numbers += (0..<5000).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite)
    for number in numbers {
      #expect(try JSONValue(decoding: JSONValue.number(number).encoded()) == .number(number))
    }
    for _ in 0..<5000 {
      let integer = Int64(bitPattern: random.next())
      #expect(try JSONValue(decoding: JSONValue.integer(integer).encoded()).integer == integer)
    }
  }
}
