/// An argument without an option, such as the file of `info FILE`. After parsing,
/// `arguments[operand]` returns its values.
package struct Operand<Value: ArgumentValue>: TableOperand {
  /// The operand without the type of its value, for the table.
  package let entry: OperandEntry

  /// Creates an operand. By default, the type of its value supplies the name in the help and the
  /// completions.
  package init(
    _ count: OperandCount, named name: String = Value.placeholder,
    completing completion: Completion? = nil, summary: String
  ) {
    entry = OperandEntry(
      name: name, count: count, summary: summary, value: ValueEntry(Value.self, completion))
  }
}

/// An operand of any value type, as commands declare it.
package protocol TableOperand: Sendable {
  /// The operand without the type of its value, for the table.
  var entry: OperandEntry { get }
}

/// The number of words that an operand takes.
package enum OperandCount: Hashable, Sendable {
  case one
  case optional
  /// One or more. Only the last operand of a command may have this count.
  case many
  /// None or more. Only the last operand of a command may have this count.
  case any

  var isRequired: Bool { self == .one || self == .many }
  var repeats: Bool { self == .many || self == .any }
}

/// An operand, as the parser and the help use it.
package struct OperandEntry: Sendable {
  /// The name in capitals, such as `FILE`.
  package let name: String
  /// The number of words that the operand takes.
  package let count: OperandCount
  /// The text in the help, a sentence without a full stop.
  package let summary: String
  /// The kind of the values.
  package let value: ValueEntry

  /// The operand in the usage line: `FILE`, `[FILE]`, `FILE...`.
  package var synopsis: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .many: "\(name)..."
    case .any: "[\(name)...]"
    }
  }
}
