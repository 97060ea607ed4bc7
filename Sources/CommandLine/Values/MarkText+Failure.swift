package import Control

extension MarkText {
  /// The text of a mark; throws if it has several lines or is too long.
  package static func checked(_ text: String) throws(Failure) -> String {
    do throws(MarkTextFlaw) {
      return try MarkText(text).text
    } catch {
      throw Failure(error)
    }
  }
}

extension Failure {
  /// The failure for a text that a mark cannot have.
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
