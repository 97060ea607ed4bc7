import JSON
import Support
import Testing

@Suite("JSON is read strictly")
struct JSONDecodeTests {
  @Test(
    "A value is what its text says",
    arguments: [
      ("null", JSONValue.null),
      (" true ", true),
      ("-9223372036854775808", .integer(.min)),
      ("9223372036854775807", .integer(.max)),
      ("1.0", .number(1)),
      ("-0.5e-3", .number(-0.0005)),
      (#""a\u0000b""#, .string("a\0b")),
      (#""\ud83d\ude00""#, "😀"),
      ("[]", []),
      ("{}", [:]),
      (#"{"b":[1,{"c":null}],"a":false}"#, ["b": [1, ["c": nil]], "a": false]),
    ] as [(String, JSONValue)])
  func values(text: String, value: JSONValue) throws {
    #expect(try JSONValue(decoding: text) == value)
  }

  @Test(
    "What is not one JSON text is refused with its line",
    arguments: [
      ("", 1), ("{", 1), ("[1,]", 1), (#"{"a":1,"a":2}"#, 1), ("1 2", 1),
      ("[1]\n\nx", 3), ("01", 1), ("'a'", 1), ("NaN", 1), ("\"\u{1}\"", 1),
      ("\"\\ud800\"", 1), ("9223372036854775808", 1), ("1e999", 1),
      (#"{"a\u0000":1}"#, 1), ("\u{FEFF}{}", 1), ("// x\n1", 1),
    ])
  func refusals(text: String, line: Int) {
    let error = #expect(throws: JSONError.self) { try JSONValue(decoding: text) }
    guard case .syntax(let foundLine, _, let words) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(foundLine == line)
    #expect(!words.isEmpty)
  }

  @Test(
    "The words of a refusal command no terminal and add no line",
    arguments: ["{\"f\\\t\": 1}", "{\"a\": \u{1B}[2J}", "[\"\u{9B}2J\" \"\u{202E}\"]", "\u{1B}"])
  func harmlessWords(text: String) {
    let error = #expect(throws: JSONError.self) { try JSONValue(decoding: text) }
    #expect(error?.description.unicodeScalars.allSatisfy { isHarmless($0) } == true, "\(text)")
  }

  @Test("A key that is named in a refusal adds no line and no control characters")
  func harmlessKeys() throws {
    let keys = ["a\nrecorder: all is well", "\t", "\u{1B}[2J", "\u{202E}", "\u{9B}"]
    for key in keys {
      for flaw in [
        JSONError.missing(key: key), .unknown(key: key),
        .unfit(key: key, found: "a string", expected: "an integer"), .invalid(key: key),
      ] { #expect(flaw.description.unicodeScalars.allSatisfy { isHarmless($0) }) }
    }
  }

  private func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  @Test(
    "Bytes that are no UTF-8 are refused",
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xC3, 0x22], [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], [0x31, 0x00], [0x00],
    ] as [[UInt8]])
  func invalidBytes(bytes: [UInt8]) {
    #expect(throws: JSONError.self) { try JSONValue(decoding: bytes.span) }
  }

  @Test("Successive texts are read one by one")
  func sequence() throws {
    func read(_ text: String) throws(JSONError) -> [JSONValue] {
      try JSONValue.sequence(decoding: text.utf8.span, limits: JSONLimits(bytes: 20, depth: 2))
    }
    #expect(try read("[1]{} \n[2]\n") == [[1], .object([:]), [2]])
    #expect(try read("").isEmpty && read(" \n").isEmpty)
    for text in ["[1] [", "[1],[2]", "[1] ]", "[[[1]]]", "[1] [2] [3] [4] [5] [6]"] {
      #expect(throws: JSONError.self) { try read(text) }
    }
  }

  @Test("Size and depth are checked before anything is built")
  func limits() throws {
    let limits = JSONLimits(bytes: 10, depth: 3)
    #expect(try JSONValue(decoding: "[[[]], []]", limits: limits)[0] == [[]])
    #expect(throws: JSONError.tooDeep(limit: 3)) {
      try JSONValue(decoding: "[[[[]]]]", limits: limits)
    }
    #expect(throws: JSONError.tooLarge(limit: 10)) {
      try JSONValue(decoding: "[         ]", limits: limits)
    }
    #expect(try JSONValue(decoding: #""[[\"[[""#, limits: limits) == "[[\"[[")
    let deep = String(repeating: "[", count: 60_000)
    #expect(throws: JSONError.tooDeep(limit: 32)) { try JSONValue(decoding: deep) }
  }

  @Test("Damaged text is an error or a value, never a crash")
  func mutations() throws {
    var random = SeededGenerator(seed: 7)
    let original = Array(#"{"a":[1,2.5,"x\u00e9\n",null],"b":{"c":true}}"#.utf8)
    var refused = 0
    for _ in 0..<20_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      do {
        let value = try JSONValue(decoding: bytes.span)
        #expect(try JSONValue(decoding: value.encoded()) == value)
      } catch {
        refused += 1
      }
    }
    #expect(refused > 1000 && refused < 20_000)
  }
}
