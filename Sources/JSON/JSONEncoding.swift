extension JSONValue {
  /// Returns the JSON text, either on one line without a line end, or on several lines with two
  /// spaces of indentation for each level.
  ///
  /// A finite number does not change if it is written and read again. A character is escaped if
  /// JSON requires an escape, or if a terminal would interpret or hide the character.
  package func encoded(indented: Bool = false) -> String {
    var encoder = Encoder(isIndented: indented)
    encoder.write(self)
    return String(decoding: encoder.bytes, as: UTF8.self)
  }
}

private struct Encoder {
  let isIndented: Bool
  var bytes: [UInt8] = []
  private var level = 0

  init(isIndented: Bool) { self.isIndented = isIndented }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: add("null")
    case .bool(let bool): add(bool ? "true" : "false")
    case .integer(let integer): add(String(integer))
    // Swift writes the fewest digits that identify the number exactly.
    case .number(let number): add(number.isFinite ? number.description : "null")
    case .string(let string): write(string)
    case .array(let elements):
      list(elements, within: "[", "]") { encoder, element in encoder.write(element) }
    case .object(let object):
      list(object.members, within: "{", "}") { encoder, member in
        encoder.write(member.key)
        encoder.add(encoder.isIndented ? ": " : ":")
        encoder.write(member.value)
      }
    }
  }

  private mutating func list<Element>(
    _ elements: [Element], within open: String, _ close: String,
    _ write: (inout Encoder, Element) -> Void
  ) {
    add(open)
    level += 1
    for (index, element) in elements.enumerated() {
      if index > 0 { add(",") }
      startLine()
      write(&self, element)
    }
    level -= 1
    if !elements.isEmpty { startLine() }
    add(close)
  }

  private mutating func write(_ string: String) {
    add("\"")
    if string.utf8.allSatisfy(\.isPlain) {
      add(string)
    } else {
      for scalar in string.unicodeScalars { write(scalar) }
    }
    add("\"")
  }

  fileprivate mutating func write(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": add("\\\"")
    case "\\": add("\\\\")
    case "\n": add("\\n")
    case "\t": add("\\t")
    case "\r": add("\\r")
    case _ where scalar.isHarmless: bytes.append(contentsOf: UTF8.encode(scalar) ?? .init())
    default: for unit in UTF16.encode(scalar) ?? .init() { add(escape(unit)) }
    }
  }

  private func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  fileprivate mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func startLine() {
    guard isIndented else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
  }
}

extension String {
  /// The text with escapes, as in JSON, for all characters that a terminal would interpret or hide.
  var harmless: String {
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
    var encoder = Encoder(isIndented: false)
    for scalar in unicodeScalars {
      if scalar.isHarmless { encoder.add(String(scalar)) } else { encoder.write(scalar) }
    }
    return String(decoding: encoder.bytes, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isPlain: Bool {
    (0x20..<0x7F).contains(self) && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
  }
}

extension Unicode.Scalar {
  fileprivate var isHarmless: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
