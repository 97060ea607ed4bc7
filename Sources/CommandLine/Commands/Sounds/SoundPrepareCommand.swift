/// The command `sound prepare`, which decodes a sound and opens the device before its play.
enum SoundPrepareCommand: Carrier {
  static var words: [String] { ["sound", "prepare"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Make the next play of a sound begin at once",
      details: ["Reads and decodes the sound and opens the device, and plays nothing."],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.device])],
      examples: [Example("recorder sound prepare done", "Before the moment comes")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("prepare", arguments)
  }
}
