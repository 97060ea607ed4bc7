/// The text of a marker, or another label of one line.
package enum MarkText {
  /// The most bytes that the label of a cue is given.
  package static let longest = 1_000

  /// The text, where it is one line and not too long.
  package static func checked(_ text: String) throws(Failure) -> String {
    guard !text.contains(where: \.isNewline) else {
      throw Failure(.usage, Message("a text is one line", advice: "leave the line ends out"))
    }
    guard text.utf8.count <= longest else {
      throw Failure(
        .usage, Message("a text has at most \(longest) bytes, and this one \(text.utf8.count)"))
    }
    return text
  }
}
