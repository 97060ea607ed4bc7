/// The result of parsing a whole command line.
package struct Request: Sendable {
  /// The command, the page or the version that was asked for.
  package var asked: Asked
  /// The arguments, which hold the global options for a page too.
  package var arguments: Arguments
}

/// The action that a command line asks for.
package enum Asked: Sendable {
  case run(Command)
  /// The help page about these words; the overview for none.
  case help([String])
  case version
}
