package import Control

extension MarkText {
  /// The text, where it is one line and not too long.
  package static func checked(_ text: String) throws(Failure) -> String {
    do throws(MarkTextFlaw) {
      return try MarkText(text).text
    } catch {
      throw Failure(error)
    }
  }
}

extension Failure {
  /// A text that cannot be the label of a mark.
  package init(_ flaw: MarkTextFlaw) {
    switch flaw {
    case .severalLines:
      self.init(.usage, Message("a text is one line", advice: "leave the line ends out"))
    case .tooLong(let bytes):
      self.init(
        .usage,
        Message("a text has at most \(MarkText.longest) bytes, and this one \(bytes)"))
    }
  }
}
