/// The client that asks for the microphone: everyone, or a program under a name of its choice.
///
/// The name selects a record and labels the audit; it authenticates nobody.
package struct Client: Hashable, Sendable {
  /// `*`, or 1 to 64 of `a` to `z`, `0` to `9`, `.`, `_` and `-`.
  package let name: String

  /// The client without a name; its refusal holds for every name.
  package static let everyone = Client(known: "*")

  /// A client with this name; nil if the name is invalid. `*` is everyone.
  package init?(_ name: String) {
    guard name == "*" || isLabel(name) else { return nil }
    self.name = name
  }

  private init(known name: String) { self.name = name }
}

extension Client: CustomStringConvertible {
  /// The client's name, `*` for everyone.
  package var description: String { name }
}

/// True if `text` is a plain name that needs no escaping anywhere.
func isLabel(_ text: String) -> Bool {
  (1...64).contains(text.utf8.count)
    && text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
      default: false
      }
    }
}

/// The name of one recording session; never used for another.
package struct SessionID: Hashable, Sendable {
  /// 1 to 64 of `a` to `z`, `0` to `9`, `.`, `_` and `-`.
  package let text: String

  /// A session's name; nil if the text is invalid.
  package init?(_ text: String) {
    guard isLabel(text) else { return nil }
    self.text = text
  }
}
