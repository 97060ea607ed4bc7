internal import Linux

/// An option with a value, such as `--duration 90s`. After parsing, `arguments[option]` returns the
/// value.
package struct Option<Value: ArgumentValue>: TableOption {
  /// The option without the type of its value, for the table.
  package let entry: OptionEntry

  /// Creates an option. `name` and `short` have no dashes.
  package init(_ name: String, short: Character? = nil, repeats: Bool = false, summary: String) {
    entry = OptionEntry(
      name: name, short: short, summary: summary, value: ValueEntry(Value.self), repeats: repeats)
  }
}

/// An option without a value, such as `--json`.
package struct Flag: TableOption {
  /// The entry of the flag in the table.
  package let entry: OptionEntry

  /// Creates a flag. `name` and `short` have no dashes.
  package init(_ name: String, short: Character? = nil, summary: String) {
    entry = OptionEntry(name: name, short: short, summary: summary, value: nil)
  }
}

/// An option of any value type, as commands declare it.
package protocol TableOption: Sendable {
  /// The option without the type of its value, for the table.
  var entry: OptionEntry { get }
}

/// An option, as the parser, the help and the completions use it.
package struct OptionEntry: Sendable {
  /// The name without its dashes.
  package let name: String
  /// The letter after one dash, or nil if there is no short form.
  package let short: Character?
  /// The text in the help, a sentence without a full stop.
  package let summary: String
  /// The kind of the value, or nil for a flag.
  package let value: ValueEntry?
  /// Whether the option may be given several times.
  var repeats = false

  /// The option as typed: `--duration`.
  package var spelling: String { "--" + name }

  /// Returns whether a word is the short form of the option, such as `-d`.
  func isShort(_ word: String) -> Bool { short.map { "-\($0)" } == word }

  /// The option in the list of the help: `-d, --device DEVICE`.
  package var synopsis: String {
    let long = spelling + (value.map { " " + $0.placeholder } ?? "")
    return (short.map { "-\($0), " } ?? "    ") + long
  }
}

/// A kind of value, without its Swift type.
package struct ValueEntry: Sendable {
  private let type: any ArgumentValue.Type
  /// The completions that a shell offers.
  package let completion: Completion

  /// - Parameter completion: the completions, or nil for the completions of the type.
  init(_ type: any ArgumentValue.Type, _ completion: Completion? = nil) {
    self.type = type
    self.completion = completion ?? type.completion
  }

  /// The value's name in the help, such as `SIZE`.
  package var placeholder: String { type.placeholder }
  /// The accepted values, for the help and for error messages.
  package var expectation: String { type.expectation }
  var hasUnit: Bool { type.hasUnit }

  /// Throws if the text is not a valid value.
  func check(_ text: String) throws(ValueError) { _ = try type.init(argument: text) }

  /// Throws if the text is not a valid value. The error has the message for the user.
  ///
  /// - Parameter owner: the name of the option, operand or setting. The message begins with this
  ///   name.
  func check(_ text: String, of owner: String) throws(UsageError) {
    try mapError(
      { (error: ValueError) -> UsageError in
        switch error {
        case .malformed:
          .badValue(
            text, of: owner, expectation: expectation, meant: corrected(text),
            advice: type.advice(on: text))
        case .outOfRange(let limits): .valueOutOfRange(text, of: owner, limits: limits)
        }
      }, check(text))
  }

  /// Returns the valid text for a common misspelling, or nil if none is found.
  func corrected(_ text: String) -> String? {
    type.corrections(of: text).first { $0 != text && (try? type.init(argument: $0)) != nil }
  }
}

/// Options that the help lists together under a title.
package struct OptionGroup: Sendable {
  /// The title in the help, without a colon.
  package let title: String
  /// The options in the order of the help.
  package let options: [OptionEntry]

  /// Creates a group of options. They may have any value type.
  package init(_ title: String, _ options: [any TableOption]) {
    self.title = title
    self.options = options.map(\.entry)
  }
}

/// The options that every command takes, before or after its name.
package enum GlobalOption {
  /// The flag that prints the report and the failures as JSON.
  package static let json = Flag("json", summary: "Print the result as JSON")
  /// The flag that suppresses notes and warnings, but not errors.
  package static let quiet = Flag(
    "quiet", short: "q", summary: "Suppress notes and warnings")
  /// The flag that shows the help page of the command instead of running it.
  package static let help = Flag("help", short: "h", summary: "Show this help and exit")
  /// The flag that shows the version, with or without a command.
  package static let version = Flag("version", summary: "Print the version and exit")

  static let group = OptionGroup("Options of every command", [json, quiet, help, version])

  static var all: [OptionEntry] { group.options }
}
