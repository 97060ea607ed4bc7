/// An option that takes a value, such as `--duration 90s`; the key to its value after parsing.
package struct Option<Value: ArgumentValue>: TableOption {
  package let entry: OptionEntry

  package init(_ name: String, short: Character? = nil, summary: String) {
    entry = OptionEntry(
      name: name, short: short, summary: summary, value: ValueEntry(Value.self))
  }
}

/// An option that is there or not, such as `--json`.
package struct Flag: TableOption {
  package let entry: OptionEntry

  package init(_ name: String, short: Character? = nil, summary: String) {
    entry = OptionEntry(name: name, short: short, summary: summary, value: nil)
  }
}

/// What commands declare as options.
package protocol TableOption: Sendable {
  /// The option as the table holds it.
  var entry: OptionEntry { get }
}

/// An option as the parser, the help and the completions see it.
package struct OptionEntry: Sendable {
  /// Without its dashes.
  package let name: String
  package let short: Character?
  /// A sentence without a full stop.
  package let summary: String
  /// What it takes; nil for a flag.
  package let value: ValueEntry?

  /// As it is typed: `--duration`.
  package var spelling: String { "--" + name }

  /// As the help lists it: `-d, --device DEVICE`.
  package var synopsis: String {
    let long = spelling + (value.map { " " + $0.placeholder } ?? "")
    return (short.map { "-\($0), " } ?? "    ") + long
  }
}

/// A kind of value, its Swift type forgotten.
package struct ValueEntry: Sendable {
  private let type: any ArgumentValue.Type

  init(_ type: any ArgumentValue.Type) { self.type = type }

  package var placeholder: String { type.placeholder }
  package var expectation: String { type.expectation }
  package var completion: Completion { type.completion }
  var hasUnit: Bool { type.hasUnit }

  /// Throws where the text is no such value.
  func check(_ text: String) throws(ValueError) { _ = try type.init(argument: text) }

  /// The right form of a text that is none, where one of its usual misspellings explains it.
  func corrected(_ text: String) -> String? {
    type.corrections(of: text).first { $0 != text && (try? type.init(argument: $0)) != nil }
  }
}

/// Options that the help lists together under a title.
package struct OptionGroup: Sendable {
  package let title: String
  package let options: [OptionEntry]

  package init(_ title: String, _ options: [any TableOption]) {
    self.title = title
    self.options = options.map(\.entry)
  }
}
