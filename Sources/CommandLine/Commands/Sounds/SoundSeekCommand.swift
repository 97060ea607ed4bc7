internal import JSON

/// The command `sound seek`, which seeks to a position in a sound.
enum SoundSeekCommand: Carrier {
  static var words: [String] { ["sound", "seek"] }

  static let place = Operand<Duration>(
    .one, named: "TIME", summary: "How far from the beginning, such as 1:30")

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Go to a place in a sound",
      details: ["What plays goes on from there; past the end is the end."],
      operands: [SoundTarget.operand, place],
      options: [OptionGroup("Options", [SoundTarget.device])],
      examples: [
        Example("recorder sound seek talk.mp3 1:30", "On from a minute and a half"),
        Example("recorder sound seek 0:10", "The same for the only sound"),
      ],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try SoundTarget.tell("seek", arguments, ["to": (arguments[place].first ?? .zero).json])
  }
}
