/// Functions that escape untrusted text, so that a terminal neither interprets nor hides a part of
/// it.
///
/// Escaping an escaped text changes nothing, so a message may be escaped twice.
package enum PrintableText {
  /// Returns `text` with every control, formatting and line-separating character written as an
  /// escape.
  package static func escape(_ text: String) -> String {
    isPlain(text, isPlainASCII) ? text : escape(bytes: text.utf8)
  }

  /// Returns `text` escaped and in quotation marks.
  package static func quoted(_ text: String) -> String { "\"\(escape(text))\"" }

  /// Joins words as in a sentence: `a`, `a or b`, `a, b or c`.
  package static func list(_ words: [String], _ conjunction: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
  }

  /// Escapes a whole page, except line ends, tabs and `marks`. The marks are sequences that the
  /// caller has inserted. Each mark begins with ESC.
  package static func escape(page text: String, keeping marks: [String] = []) -> String {
    if isPlain(text, { isPlainASCII($0) || isLayout($0) }) { return text }
    let marks = marks.map { Array($0.utf8) }
    var escaped = ""
    var rest = Array(text.utf8)[...]
    while let byte = rest.first {
      if isLayout(byte) {
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
        rest = rest.dropFirst()
      } else if let mark = marks.first(where: rest.starts(with:)) {
        escaped += String(decoding: mark, as: UTF8.self)
        rest = rest.dropFirst(mark.count)
      } else {
        // The text up to the next possible mark. No mark begins at the first byte of `rest`.
        let end = rest.dropFirst().firstIndex { isLayout($0) || $0 == 0x1B } ?? rest.endIndex
        escaped += escape(bytes: rest[..<end])
        rest = rest[end...]
      }
    }
    return escaped
  }

  /// Returns whether all bytes fulfil a condition, in half the time of `allSatisfy`.
  private static func isPlain(_ text: String, _ isFit: (UInt8) -> Bool) -> Bool {
    let bytes = text.utf8.span
    for index in bytes.indices where !isFit(bytes[index]) { return false }
    return true
  }

  private static func isLayout(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
  }

  /// Returns untrusted bytes as escaped text. Bytes that are not UTF-8 are written as `\xNN`.
  package static func escape(bytes: some Sequence<UInt8>) -> String {
    var escaped = ""
    var rest = Array(bytes)[...]
    var parser = Unicode.UTF8.ForwardParser()
    var input = rest.makeIterator()
    while true {
      switch parser.parseScalar(from: &input) {
      case .valid(let encoded):
        append(Unicode.UTF8.decode(encoded), to: &escaped)
        rest = rest.dropFirst(encoded.count)
      case .error(let length):
        for byte in rest.prefix(length) { escaped += "\\x" + hexadecimal(UInt32(byte), width: 2) }
        rest = rest.dropFirst(length)
      case .emptyInput:
        return escaped
      }
    }
  }

  private static func append(_ scalar: Unicode.Scalar, to escaped: inout String) {
    switch scalar {
    case "\n": escaped += "\\n"
    case "\t": escaped += "\\t"
    case "\r": escaped += "\\r"
    case _ where scalar.isHarmlessOnTerminal: escaped.unicodeScalars.append(scalar)
    case _ where scalar.isASCII: escaped += "\\x" + hexadecimal(scalar.value, width: 2)
    default: escaped += "\\u{" + hexadecimal(scalar.value, width: 4) + "}"
    }
  }

  private static func isPlainASCII(_ byte: UInt8) -> Bool { (0x20..<0x7F).contains(byte) }

  /// Returns a number in hexadecimal digits, at least `width` of them.
  package static func hexadecimal(_ value: UInt32, width: Int) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension Unicode.Scalar {
  /// False for C0, DEL, C1, bidirectional controls, zero-width characters and line separators.
  package var isHarmlessOnTerminal: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

extension UInt8 {
  /// True for the ASCII codes of letters and digits.
  package var isASCIIAlphanumeric: Bool {
    (0x30...0x39).contains(self) || (0x61...0x7A).contains(self | 0x20)
  }
}
