/// Free text of one line, such as a title or the name of a recording.
package struct Text: ArgumentValue, Hashable {
  package let value: String

  package static let placeholder = "TEXT"
  package static let expectation = "a text that is not empty"

  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    self.value = argument
  }
}
