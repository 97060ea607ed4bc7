/// The command `sound stop`, which stops a sound and keeps its position.
enum SoundStopCommand: Carrier {
  static var words: [String] { ["sound", "stop"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Stop a sound, which keeps its place",
      details: [
        "Silent at once. \"recorder sound resume\" goes on from the very frame. A play that waits for the sound exits with 17. Repeating it is harmless."
      ],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.all, SoundTarget.device])],
      examples: [
        Example("recorder sound stop umbrella", "Stop the sound umbrella"),
        Example("recorder sound stop --all", "Stop every sound"),
      ],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("stop", arguments)
  }
}
