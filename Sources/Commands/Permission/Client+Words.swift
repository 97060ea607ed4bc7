internal import Linux
internal import Permission

extension Client {
  /// The client as users name it: the path of a program, its identifier, or the name of a caller.
  var shown: String { self == .allPrograms ? "every program" : path ?? name }

  /// The client of a decision, as words after the verb; empty for `.everyone`.
  var purpose: String {
    switch self {
    case .everyone: ""
    case .allPrograms: " for every program"
    default: " for the program \(quoted(shown))"
    }
  }

  /// The option that selects the client, with a space before it; empty for everyone.
  var option: String {
    switch self {
    case .everyone: ""
    case .allPrograms: " --all-programs"
    default: kind == .caller ? " --as \(name)" : " --program \(shellArgument(shown))"
    }
  }
}

/// A program as typed: its path, its name or its identifier.
package struct ProgramName: ArgumentValue, Hashable {
  /// The text as typed, never empty.
  package let text: String

  /// The placeholder for a program in the help.
  package static let placeholder = "NAME"
  /// The accepted values, for the help and for error messages.
  package static let expectation =
    "the path of a program, its name, or an identifier such as flatpak:ID or snap:NAME"
  /// Completion with the known programs.
  package static let completion = Completion.names(.programs)

  private static let prefixes = ["path:", "flatpak:", "snap:"]

  /// Reads a path, a name or an identifier. Throws for an empty text and for an invalid identifier.
  package init(argument: String) throws(ValueError) {
    let isIdentifier = Self.prefixes.contains(where: argument.begins)
    guard !argument.isEmpty, !isIdentifier || Client(program: argument) != nil else {
      throw .malformed
    }
    text = argument
  }
}
