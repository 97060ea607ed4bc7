/// Free text such as a title or a search text.
package struct Text: ArgumentValue, Hashable {
  /// The text as typed, never empty.
  package let value: String

  /// The name of a text in the help; most operands have a better one.
  package static let placeholder = "TEXT"
  /// Shown for an empty text.
  package static let expectation = "a text that is not empty"

  /// Reads any text; throws for an empty one.
  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    self.value = argument
  }
}
