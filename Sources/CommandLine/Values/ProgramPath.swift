internal import Linux

/// A program to run later, found now: with a slash its path, without one its name in PATH.
struct ProgramPath: ArgumentValue, Hashable {
  /// As it was typed.
  let text: String

  static let placeholder = "PROGRAM"
  static let expectation = "the path of a program, or its name"
  static let completion = Completion.files

  init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    text = argument
  }

  /// Its absolute path; nil where there is no program that may be executed.
  func resolved(in directory: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: "/")) else {
      let places = (Environment.value(of: "PATH") ?? "/usr/bin:/bin").split(separator: ":")
      return places.map { "\($0)/\(text)" }.first(where: Program.isExecutable)
    }
    let path = text.begins(with: "/") ? text : directory + "/" + text
    return Program.isExecutable(path) ? path : nil
  }
}
