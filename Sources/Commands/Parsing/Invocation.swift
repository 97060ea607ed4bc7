/// The result of parsing a whole command line.
package struct Invocation: Sendable {
  /// The command, the help page or the version that was requested.
  package var action: Action
  /// The options, including the global options, and the operands of a command.
  package var arguments: Arguments

  /// The action of a command line.
  package enum Action: Sendable {
    case run(Command)
    /// Shows the help page about these words, or the overview if there are none.
    case help([String])
    case version
  }
}

/// The arguments after the name of a command, checked against the table.
package struct Arguments: Equatable, Sendable {
  var options: [String: [String]] = [:]
  var flags: Set<String> = []
  var operands: [String: [String]] = [:]
  /// For each repeated option, by its name: the number of its values before the first operand.
  var leading: [String: Int] = [:]

  /// Creates empty arguments, as for a command line without options and operands.
  package init() {}

  /// The value of an option, or nil if it was not given.
  package subscript<Value>(option: Option<Value>) -> Value? { values(of: option).first }

  /// Returns the values of an option that may be given several times, in their order.
  package func values<Value>(of option: Option<Value>) -> [Value] {
    // The parser has checked every value, so reading it again cannot fail.
    (options[option.entry.name] ?? []).compactMap { text in try? Value(argument: text) }
  }

  /// Returns the values of an operand and of a repeated option with the same type of value, in the
  /// order of the command line. The operand has exactly one word.
  package func inOrder<Value>(_ operand: Operand<Value>, _ option: Option<Value>) -> [Value] {
    let values = values(of: option)
    let count = leading[option.entry.name] ?? 0
    return Array(values.prefix(count)) + self[operand] + Array(values.dropFirst(count))
  }

  /// Whether the flag was given.
  package subscript(flag: Flag) -> Bool { flags.contains(flag.entry.name) }

  /// The values of an operand in their order; empty if none was given.
  package subscript<Value>(operand: Operand<Value>) -> [Value] {
    (operands[operand.entry.name] ?? []).compactMap { text in try? Value(argument: text) }
  }
}
