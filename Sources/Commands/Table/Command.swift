/// The description of a command. Parsing, help, manual and completions are based on it.
package struct Command: Sendable {
  /// The words after `recorder`: `info`, or two as in `sound list`.
  package let words: [String]
  /// The section of the overview that lists the command, or nil if only recorder itself starts the
  /// command.
  package let section: Section?
  /// The purpose of the command in a few words. It begins with a verb and has no full stop.
  package let summary: String
  /// The explanation in the help, as paragraphs.
  package let details: [String]
  /// The operands in their order; only the last may repeat.
  package let operands: [OperandEntry]
  /// The command's own options, grouped by title, without the global options.
  package let options: [OptionGroup]
  /// The examples in the help and the manual.
  package let examples: [Example]
  /// The exit codes besides `done`, `failed` and `usage`, which every command has.
  package let ends: [ExitCode]

  /// Creates a command. Its operands may have any value type. A command without a section is
  /// started only by recorder itself, and no page lists it.
  package init(
    _ words: [String], section: Section?, summary: String, details: [String] = [],
    operands: [any TableOperand] = [], options: [OptionGroup] = [], examples: [Example] = [],
    ends: [ExitCode] = []
  ) {
    self.words = words
    self.section = section
    self.summary = summary
    self.details = details
    self.operands = operands.map(\.entry)
    self.options = options
    self.examples = examples
    self.ends = ends
  }

  /// The words joined: `sound list`.
  package var name: String { words.joined(separator: " ") }

  /// The command's own options and the global ones.
  var allOptions: [OptionEntry] { options.flatMap(\.options) + GlobalOption.all }
}

/// The sections of the overview, in their order.
package enum Section: String, CaseIterable, Sendable {
  case recording = "Recording"
  case sounds = "Sounds"
  case permission = "Microphone access"
  case machine = "Devices and files"
  case help = "Help"
}

/// A command line with its purpose.
package struct Example: Sendable {
  /// The command line as typed, with the program's name.
  package let line: String
  /// The effect in a few words, without a full stop.
  package let meaning: String

  /// Creates an example for the help and the manual.
  package init(_ line: String, _ meaning: String) {
    self.line = line
    self.meaning = meaning
  }
}
