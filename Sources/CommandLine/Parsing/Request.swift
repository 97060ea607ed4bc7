/// What a whole command line asks for.
package struct Request: Sendable {
  package var asked: Asked
  package var arguments: Arguments
}

/// What is to be done.
package enum Asked: Sendable {
  case run(Command)
  /// The page about these words; none is the overview.
  case help([String])
  case version
}
