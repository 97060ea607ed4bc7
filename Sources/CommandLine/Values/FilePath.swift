/// The path of a file; the command handles `-`.
package struct FilePath: ArgumentValue, Hashable {
  /// The path as typed, never empty.
  package let text: String

  /// The name of a path in the help.
  package static let placeholder = "FILE"
  /// Shown in the help and for an empty path.
  package static let expectation = "the path of a file"
  /// Shells complete the names of files.
  package static let completion = Completion.files

  /// Reads any path; throws for an empty text.
  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    self.text = argument
  }
}
