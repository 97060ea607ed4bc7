/// The path of a file; `-` is left to the command.
package struct FilePath: ArgumentValue, Hashable {
  package let text: String

  package static let placeholder = "FILE"
  package static let expectation = "the path of a file"
  package static let completion = Completion.files

  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    self.text = argument
  }
}
