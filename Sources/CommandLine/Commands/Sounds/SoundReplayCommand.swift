/// The command `sound replay`, which plays a sound from its beginning again.
enum SoundReplayCommand: Carrier {
  static var words: [String] { ["sound", "replay"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Play a sound again from its beginning",
      details: ["Whatever it does now; does not wait for the end."],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.device])],
      examples: [Example("recorder sound replay done", "Once more")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("replay", arguments)
  }
}
