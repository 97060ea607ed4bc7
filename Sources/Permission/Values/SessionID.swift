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
