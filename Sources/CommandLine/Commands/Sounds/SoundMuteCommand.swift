/// The command `sound mute`, which mutes a sound.
enum SoundMuteCommand: Carrier {
  static var words: [String] { ["sound", "mute"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Mute a sound",
      details: [
        "A sound that plays goes on without being heard; a play of it later does nothing and exits with 0. This is remembered, also after the player ended."
      ],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.device])],
      examples: [Example("recorder sound mute done", "Silence the sound done from now on")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("mute", arguments)
  }
}
