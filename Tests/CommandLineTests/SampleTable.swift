import Audio

@testable import CommandLine

/// A table with every shape that a command can have, so that the parser is tested apart from today's commands.
enum SampleTable {
  static let duration = Option<Duration>("duration", short: "d", summary: "How long")
  static let gain = Option<Decibels>("gain", summary: "How much louder")
  static let output = Option<FilePath>("output", short: "o", summary: "Where to")
  static let loud = Flag("loud", short: "l", summary: "Loud")
  static let wet = Flag("wet", short: "w", summary: "Wet")
  static let file = Operand<FilePath>(.optional, summary: "A file")

  static let start = Command(
    "start", section: .recording, summary: "Start", operands: [file],
    options: [OptionGroup("When", [duration]), OptionGroup("How", [gain, output, loud, wet])],
    examples: [Example("recorder start", "Start")], ends: [.device])

  static let name = Operand<Text>(.one, named: "NAME", summary: "A sound")
  static let volume = Operand<Volume>(.one, summary: "How loud")

  static let setVolume = Command(
    "sound", "volume", section: .sounds, summary: "Set the volume", operands: [name, volume],
    examples: [Example("recorder sound volume chime 0.5", "Half as loud")])

  static let names = Operand<Text>(.many, named: "NAME", summary: "Sounds")

  static let play = Command(
    "play", section: .sounds, summary: "Play", operands: [names],
    examples: [Example("recorder play chime", "Play it")])

  static let list = Command(
    "sound", "list", section: .sounds, summary: "List the sounds",
    examples: [Example("recorder sound list", "List them")])

  static let check = Command(
    "permission", "policy", "check", section: .permission, summary: "Check the policy",
    examples: [Example("recorder permission policy check", "Check it")])

  static let table = CommandTable([start, setVolume, play, list, check])
}
