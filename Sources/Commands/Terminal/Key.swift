/// A key of the terminal.
package enum Key: Hashable, Sendable {
  case character(Character)
  case enter, escape, backspace, delete, tab
  case up, down, left, right, pageUp, pageDown, home, end
  /// Ctrl with a letter.
  case control(Character)

  /// Returns the keys that these bytes stand for. Unknown and incomplete sequences are skipped. A
  /// single Escape byte is the Escape key.
  package static func all(in bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    var rest = bytes[...]
    while let byte = rest.first {
      if byte == 0x1B, rest.count > 1, let second = rest.dropFirst().first,
        second == UInt8(ascii: "[") || second == UInt8(ascii: "O")
      {
        let parameters = rest.dropFirst(2).prefix { (0x30...0x3F).contains($0) }
        let final = rest.dropFirst(2 + parameters.count).first
        if let key = key(parameters, final) { keys.append(key) }
        rest = rest.dropFirst(2 + parameters.count + (final == nil ? 0 : 1))
      } else if byte < 0x20 || byte == 0x7F {
        keys.append(control(byte))
        rest = rest.dropFirst()
      } else {
        let text = rest.prefix { $0 >= 0x20 && $0 != 0x7F }
        keys += String(decoding: text, as: UTF8.self).map(Key.character)
        rest = rest.dropFirst(text.count)
      }
    }
    return keys
  }

  private static func control(_ byte: UInt8) -> Key {
    switch byte {
    case 0x0A, 0x0D: .enter
    case 0x1B: .escape
    case 0x08, 0x7F: .backspace
    case 0x09: .tab
    default: .control(Character(Unicode.Scalar(byte + 0x60)))
    }
  }

  /// Returns the key of a control sequence (ECMA-48), as sent by xterm, the console, tmux and
  /// screen.
  private static func key(_ parameters: ArraySlice<UInt8>, _ final: UInt8?) -> Key? {
    guard let final else { return nil }
    switch Character(Unicode.Scalar(final)) {
    case "A": return .up
    case "B": return .down
    case "C": return .right
    case "D": return .left
    case "H": return .home
    case "F": return .end
    case "~": return numbered[String(decoding: parameters, as: UTF8.self)]
    default: return nil
    }
  }

  private static let numbered: [String: Key] = [
    "1": .home, "7": .home, "4": .end, "8": .end, "3": .delete, "5": .pageUp, "6": .pageDown,
  ]
}
