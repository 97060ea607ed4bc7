/// A command as data; parsing, help, manual and completions all come from it.
package struct Command: Sendable {
  /// What is typed after `recorder`: `info`, or two words as in `sound list`.
  package let words: [String]
  /// Where the overview lists it.
  package let section: Section
  /// What it does, in a few words that begin with a verb and end without a full stop.
  package let summary: String
  /// All that a user has to know, one paragraph each.
  package let details: [String]
  package let operands: [OperandEntry]
  package let options: [OptionGroup]
  package let examples: [Example]
  /// How it can end besides done, failed and wrong usage, which all can.
  package let ends: [ExitCode]

  package init(
    _ words: [String], section: Section, summary: String, details: [String] = [],
    operands: [any TableOperand] = [], options: [OptionGroup] = [], examples: [Example],
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

  /// The words as one: `sound list`.
  package var name: String { words.joined(separator: " ") }

  /// Its own options and those of every command.
  var allOptions: [OptionEntry] { options.flatMap(\.options) + GlobalOption.all }
}

/// Parts of the overview, in its order.
package enum Section: String, CaseIterable, Sendable {
  case recording = "Recording"
  case sounds = "Sounds"
  case permission = "The microphone permission"
  case machine = "Devices and files"
  case help = "Help"
}

/// A command line and what it does.
package struct Example: Sendable {
  package let line: String
  package let meaning: String

  package init(_ line: String, _ meaning: String) {
    self.line = line
    self.meaning = meaning
  }
}
