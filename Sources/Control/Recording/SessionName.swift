/// The user's name for a recording; one recording of a name runs at a time.
package struct SessionName: Hashable, Sendable {
  /// 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or a digit.
  package let text: String

  /// The name of a recording for which the user gives none.
  package static let usual = SessionName(known: "default")

  /// A name, or nil where the text would be harmful in the name of a file or on a terminal.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard (1...64).contains(bytes.count), let first = bytes.first, Self.isPlain(first),
      bytes.allSatisfy({ Self.isPlain($0) || "._-".utf8.contains($0) })
    else { return nil }
    self.text = text
  }

  private init(known text: String) { self.text = text }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
