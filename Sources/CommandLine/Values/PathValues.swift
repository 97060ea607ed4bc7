internal import Linux

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

/// A program to run later but found now: a path if it has a slash, else a name in PATH.
struct ProgramPath: ArgumentValue, Hashable {
  /// The text as typed.
  let text: String

  static let placeholder = "PROGRAM"
  static let expectation = "the path of a program, or its name"
  static let completion = Completion.files

  init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    text = argument
  }

  /// The absolute path; nil if no such program can be executed.
  func resolved(in directory: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: "/")) else {
      let places = (Environment.value(of: "PATH") ?? "/usr/bin:/bin").split(separator: ":")
      return places.map { "\($0)/\(text)" }.first(where: Program.isExecutable)
    }
    let path = text.begins(with: "/") ? text : directory + "/" + text
    return Program.isExecutable(path) ? path : nil
  }
}
