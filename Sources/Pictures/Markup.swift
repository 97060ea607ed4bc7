internal import JSON
internal import Linux

/// Text for HTML and SVG.
enum Markup {
  /// Escapes text for the content of an element or for a quoted attribute. Characters with a
  /// meaning in markup become references, and control characters become escapes.
  static func text(_ words: String) -> String {
    var text = ""
    for scalar in PrintableText.escape(words).unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Returns a `data:` URL that contains a file.
  static func data(_ type: String, _ bytes: [UInt8]) -> [UInt8] {
    Array("data:\(type);base64,".utf8) + Base64.encode(bytes)
  }

  /// Formats a share from 0 to 1 as a percentage with at most three decimals.
  static func percent(_ share: Double) -> String { number(100 * share, places: 3) + "%" }

  /// Formats a number without unnecessary decimals.
  static func number(_ value: Double, places: Int) -> String {
    let unit = (0..<places).reduce(1.0) { unit, _ in unit * 10 }
    let scaled = (value * unit).rounded() / unit
    return scaled == scaled.rounded() ? "\(Int(scaled))" : "\(scaled)"
  }

  /// Returns the address of a file, from its absolute path or its path relative to the page. Every
  /// byte except letters, digits, `-`, `.`, `_` and `/` becomes `%XX`, so that no character of a
  /// name has a special meaning.
  static func address(_ path: String) -> String {
    var address = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "/"):
        address.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        address += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    return address
  }
}
