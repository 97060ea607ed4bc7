/// The command `sound pause`, which pauses a sound.
enum SoundPauseCommand: Carrier {
  static var words: [String] { ["sound", "pause"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Pause a sound",
      details: [
        "Like stop, but what waits for the sound goes on waiting. What does not play is left as it is."
      ],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.all, SoundTarget.device])],
      examples: [Example("recorder sound pause", "Pause the only sound")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("pause", arguments)
  }
}
