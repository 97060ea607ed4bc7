internal import JSON

/// The command `sound volume`, which sets a sound's volume.
enum SoundVolumeCommand: Carrier {
  static var words: [String] { ["sound", "volume"] }

  static let volume = Operand<Volume>(.one, summary: "Volume: 0.0 to 1.0, or -6dB")
  static let fade = Option<Duration>("fade", summary: "Time of the change")

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Set the volume of a sound",
      details: [
        "At once where it plays, and for every later play. This is remembered, also after the "
          + "player ended."
      ],
      operands: [SoundTarget.operand, volume],
      options: [OptionGroup("Options", [fade, SoundTarget.device])],
      examples: [
        Example("recorder sound volume umbrella 0.5", "Half as loud"),
        Example("recorder sound volume umbrella 0 --fade 3s", "Let it fade away"),
      ],
      ends: [.notFound, .device, .notASound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let factor = (arguments[volume].first ?? .full).factor
    let fade = arguments[fade] ?? .zero
    return try SoundTarget.tell("volume", arguments, ["volume": factor.json, "fade": fade.json])
  }
}
