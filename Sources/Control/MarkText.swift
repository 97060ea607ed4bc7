/// The text of a mark, or another label of one line.
package struct MarkText: Hashable, Sendable {
  /// The most bytes that the label of a cue is given.
  package static let longest = 1_000

  /// One line of at most `longest` bytes, perhaps empty.
  package let text: String

  /// A mark without a text.
  package static let none = MarkText(unchecked: "")

  private init(unchecked text: String) { self.text = text }

  /// Checks that the text is one line of at most `longest` bytes; throws the flaw otherwise.
  package init(_ text: String) throws(MarkTextFlaw) {
    guard !text.contains(where: \.isNewline) else { throw .severalLines }
    guard text.utf8.count <= Self.longest else { throw .tooLong(bytes: text.utf8.count) }
    self.text = text
  }
}

/// A flaw of a text that cannot be the label of a mark.
package enum MarkTextFlaw: Error, Hashable, Sendable {
  case severalLines
  case tooLong(bytes: Int)
}
