import Audio

@testable import Commands

/// A table with every shape of a command, so that the parser is tested independently of the real
/// commands.
enum SampleTable {
  static let table = CommandTable([
    CommandRow(SampleStart.self), CommandRow(SampleVolume.self), CommandRow(SamplePlay.self),
    CommandRow(SampleList.self), CommandRow(SampleCheck.self),
  ])
}

extension RunnableCommand {
  /// Commands of tests are parsed and described, but not run.
  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    throw Failure(.failed, Message("not run"))
  }
}

/// A command with options of every kind and one optional operand.
enum SampleStart: RunnableCommand {
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
enum SampleVolume: RunnableCommand {
  static let words = ["sound", "volume"]
  static let name = Operand<Text>(.one, named: "NAME", summary: "A sound")
  static let volume = Operand<Volume>(.one, summary: "How loud")

  static let command = Command(
    words, section: .sounds, summary: "Set the volume", operands: [name, volume],
    examples: [Example("recorder sound volume chime 0.5", "Half as loud")])
}

/// A command with one or more operands.
enum SamplePlay: RunnableCommand {
  static let words = ["play"]
  static let names = Operand<Text>(.many, named: "NAME", summary: "Sounds")

  static let command = Command(
    words, section: .sounds, summary: "Play", operands: [names],
    examples: [Example("recorder play chime", "Play it")])
}

/// A command without options and operands.
enum SampleList: RunnableCommand {
  static let words = ["sound", "list"]

  static let command = Command(
    words, section: .sounds, summary: "List the sounds",
    examples: [Example("recorder sound list", "List them")])
}

/// A command with three words.
enum SampleCheck: RunnableCommand {
  static let words = ["permission", "policy", "check"]

  static let command = Command(
    words, section: .permission, summary: "Check the policy",
    examples: [Example("recorder permission policy check", "Check it")])
}
