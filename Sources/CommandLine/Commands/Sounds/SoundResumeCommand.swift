/// The command `sound resume`, which continues a sound from its position.
enum SoundResumeCommand: Carrier {
  static var words: [String] { ["sound", "resume"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Resume a paused or stopped sound",
      details: [
        "Goes on at the very frame. What plays already, or was played to its end, is left as it is."
      ],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.all, SoundTarget.device])],
      examples: [Example("recorder sound resume umbrella", "Go on with the sound umbrella")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("resume", arguments)
  }
}
