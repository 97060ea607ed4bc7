/// Who asks for the microphone: everyone, or a program under a name that it gave itself.
///
/// The name scopes a record and labels the audit; it authenticates nobody.
package struct Client: Hashable, Sendable {
  /// `*`, or 1 to 64 of `a` to `z`, `0` to `9`, `.`, `_` and `-`.
  package let name: String

  /// Whoever gave no name, and whose "no" holds for every name.
  package static let everyone = Client(known: "*")

  /// A client of this name, or nil where it cannot be one; `*` is everyone.
  package init?(_ name: String) {
    guard name == "*" || isLabel(name) else { return nil }
    self.name = name
  }

  private init(known name: String) { self.name = name }
}

extension Client: CustomStringConvertible {
  package var description: String { name }
}

/// Whether `text` is a plain name that needs no escaping anywhere.
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
