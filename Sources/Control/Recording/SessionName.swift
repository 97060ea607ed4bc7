internal import Linux

/// The user's name for a recording. Two recordings with the same name cannot run at the same time.
package struct SessionName: Hashable, Sendable {
  /// The text: 1 to 64 letters, digits, `.`, `_` and `-`. The first character is a letter or a
  /// digit.
  package let text: String

  /// The name of a recording if the user gives no name.
  package static let usual = SessionName(known: "default")

  /// Creates a name. The result is nil if the text could be unsafe in a file name or on a terminal.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard (1...64).contains(bytes.count), bytes.first?.isASCIIAlphanumeric == true,
      bytes.allSatisfy({ $0.isASCIIAlphanumeric || "._-".utf8.contains($0) })
    else { return nil }
    self.text = text
  }

  private init(known text: String) { self.text = text }
}

/// The text of a mark, or another label of one line.
package struct MarkText: Hashable, Sendable {
  /// The largest number of bytes in a text.
  package static let longest = 1_000

  /// The text: one line of at most `longest` bytes. It may be empty.
  package let text: String

  /// A mark without a text.
  package static let none = MarkText(unchecked: "")

  private init(unchecked text: String) { self.text = text }

  /// Creates a mark's text. Throws the flaw if the text is not one line of at most `longest` bytes.
  package init(_ text: String) throws(MarkTextFlaw) {
    guard !text.contains(where: \.isNewline) else { throw .severalLines }
    guard text.utf8.count <= Self.longest else { throw .tooLong(bytes: text.utf8.count) }
    self.text = text
  }
}

/// The reason why a text cannot be the label of a mark.
package enum MarkTextFlaw: Error, Hashable, Sendable {
  case severalLines
  case tooLong(bytes: Int)
}
