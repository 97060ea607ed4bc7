/// The result of parsing a whole command line.
package struct Invocation: Sendable {
  /// The command, the page or the version that was asked for.
  package var action: Action
  /// The arguments, which hold the global options for a page too.
  package var arguments: Arguments

  /// The action of a command line.
  package enum Action: Sendable {
    case run(Command)
    /// The help page about these words; the overview for none.
    case help([String])
    case version
  }
}

/// The arguments after the name of a command, checked against the table.
package struct Arguments: Equatable, Sendable {
  var options: [String: String] = [:]
  var flags: Set<String> = []
  var operands: [String: [String]] = [:]

  /// No arguments, as for a command without any.
  package init() {}

  /// The value of an option; nil if it was not given.
  package subscript<Value>(option: Option<Value>) -> Value? {
    // The parser has checked every value, so reading it again cannot fail.
    options[option.entry.name].flatMap { text in try? Value(argument: text) }
  }

  /// True if the flag was given.
  package subscript(flag: Flag) -> Bool { flags.contains(flag.entry.name) }

  /// The values of an operand in their order; empty if it was not given.
  package subscript<Value>(operand: Operand<Value>) -> [Value] {
    (operands[operand.entry.name] ?? []).compactMap { text in try? Value(argument: text) }
  }
}
