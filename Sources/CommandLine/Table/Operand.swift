/// What a command is given without an option, such as the file of `info FILE`; the key to its values.
package struct Operand<Value: ArgumentValue>: TableOperand {
  package let entry: OperandEntry

  package init(
    _ count: OperandCount, named name: String = Value.placeholder, summary: String
  ) {
    entry = OperandEntry(name: name, count: count, summary: summary, value: ValueEntry(Value.self))
  }
}

/// What commands declare as operands.
package protocol TableOperand: Sendable {
  /// The operand as the table holds it.
  var entry: OperandEntry { get }
}

/// How many of an operand a command takes.
package enum OperandCount: Hashable, Sendable {
  case one
  case optional
  /// One or more; only the last operand of a command.
  case many
  /// None or more; only the last operand of a command.
  case any

  var isRequired: Bool { self == .one || self == .many }
  var repeats: Bool { self == .many || self == .any }
}

/// An operand as the parser and the help see it.
package struct OperandEntry: Sendable {
  package let name: String
  package let count: OperandCount
  /// A sentence without a full stop.
  package let summary: String
  package let value: ValueEntry

  /// As the usage line writes it: `FILE`, `[FILE]`, `FILE...`.
  package var synopsis: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .many: "\(name)..."
    case .any: "[\(name)...]"
    }
  }
}
