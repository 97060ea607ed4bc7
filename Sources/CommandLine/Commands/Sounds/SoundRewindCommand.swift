/// The command `sound rewind`, which seeks to a sound's beginning.
enum SoundRewindCommand: Carrier {
  static var words: [String] { ["sound", "rewind"] }

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Go to the beginning of a sound",
      details: ["What plays goes on from the beginning; what is silent stays silent."],
      operands: [SoundTarget.operand],
      options: [OptionGroup("Options", [SoundTarget.device])],
      examples: [Example("recorder sound rewind umbrella", "From the beginning")],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("rewind", arguments)
  }
}
