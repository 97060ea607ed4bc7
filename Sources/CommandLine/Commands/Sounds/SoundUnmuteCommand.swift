/// `sound unmute`: to be heard again.
enum SoundUnmuteCommand: Carrier {
  static var words: [String] { ["sound", "unmute"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Let a sound be heard again",
      details: ["The sound has the volume that it had before."],
      operands: [SoundTarget.one],
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
