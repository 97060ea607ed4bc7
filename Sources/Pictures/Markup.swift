internal import JSON
internal import Linux

/// Text of HTML and SVG.
enum Markup {
  /// Foreign words for the content of an element or an attribute in quotation marks: what means something in
  /// markup is written as a reference, and control characters as escapes.
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

  /// The address that holds a file itself.
  static func data(_ type: String, _ bytes: [UInt8]) -> [UInt8] {
    Array("data:\(type);base64,".utf8) + Base64.encode(bytes)
  }

  /// A share of the whole, 0 to 1, in hundredths with three decimals.
  static func percent(_ share: Double) -> String { number(100 * share, places: 3) + "%" }

  /// A number without needless decimals.
  static func number(_ value: Double, places: Int) -> String {
    let unit = (0..<places).reduce(1.0) { unit, _ in unit * 10 }
    let scaled = (value * unit).rounded() / unit
    return scaled == scaled.rounded() ? "\(Int(scaled))" : "\(scaled)"
  }

  /// The address of a file by its path relative to another one, with every byte that is not a plain letter as
  /// `%XX`: no part of a name is taken for an instruction.
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
