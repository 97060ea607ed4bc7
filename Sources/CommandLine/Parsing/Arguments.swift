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
