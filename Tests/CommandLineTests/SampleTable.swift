import Audio

@testable import CommandLine

/// A table with every shape of a command, so that the parser is tested independently of the real
/// commands.
enum SampleTable {
  static let table = CommandTable([
    CommandRow(definition: SampleStart.self), CommandRow(inEngine: SampleVolume.self),
    CommandRow(definition: SamplePlay.self), CommandRow(inEngine: SampleList.self),
    CommandRow(definition: SampleCheck.self),
  ])
}

/// A command with options of every kind and one optional operand.
enum SampleStart: CommandDefinition {
  static let words = ["start"]
  static let duration = Option<Duration>("duration", short: "d", summary: "How long")
  static let gain = Option<Decibels>("gain", summary: "How much louder")
  static let output = Option<FilePath>("output", short: "o", summary: "Where to")
  static let loud = Flag("loud", short: "l", summary: "Loud")
  static let wet = Flag("wet", short: "w", summary: "Wet")
  static let file = Operand<FilePath>(.optional, summary: "A file")

  static let command = Command(
    words, section: .recording, summary: "Start", operands: [file],
    options: [OptionGroup("When", [duration]), OptionGroup("How", [gain, output, loud, wet])],
    examples: [Example("recorder start", "Start")], ends: [.device])
}

/// A command with two words and two operands of different kinds.
enum SampleVolume: CommandDefinition {
  static let words = ["sound", "volume"]
  static let name = Operand<Text>(.one, named: "NAME", summary: "A sound")
  static let volume = Operand<Volume>(.one, summary: "How loud")

  static let command = Command(
    words, section: .sounds, summary: "Set the volume", operands: [name, volume],
    examples: [Example("recorder sound volume chime 0.5", "Half as loud")])
}

/// A command with one or more operands.
enum SamplePlay: CommandDefinition {
  static let words = ["play"]
  static let names = Operand<Text>(.many, named: "NAME", summary: "Sounds")

  static let command = Command(
    words, section: .sounds, summary: "Play", operands: [names],
    examples: [Example("recorder play chime", "Play it")])
}

/// A command without options and operands.
enum SampleList: CommandDefinition {
  static let words = ["sound", "list"]

  static let command = Command(
    words, section: .sounds, summary: "List the sounds",
    examples: [Example("recorder sound list", "List them")])
}

/// A command with three words.
enum SampleCheck: CommandDefinition {
  static let words = ["permission", "policy", "check"]

  static let command = Command(
    words, section: .permission, summary: "Check the policy",
    examples: [Example("recorder permission policy check", "Check it")])
}
