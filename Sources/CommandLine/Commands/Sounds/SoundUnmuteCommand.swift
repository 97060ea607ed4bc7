/// The command `sound unmute`, which unmutes a sound.
enum SoundUnmuteCommand: Carrier {
  static var words: [String] { ["sound", "unmute"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Unmute a sound",
      details: ["The sound has the volume that it had before."],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.device])],
      examples: [Example("recorder sound unmute done", "Hear the sound done again")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("unmute", arguments)
  }
}
