/// The command `devices`, which lists the capture and playback devices.
package enum DevicesCommand: CommandDefinition {
  /// The word after `recorder`.
  package static var words: [String] { ["devices"] }

  /// The one direction to list; both if it is absent.
  package static let direction = Operand<Direction>(
    .optional, summary: "Only devices that record, or only those that play")

  /// The flag that adds every name of ALSA's configuration.
  package static let all = Flag(
    "all", short: "a", summary: "List every name that ALSA's configuration offers, too")

  /// The direction of the sound through a device.
  package enum Direction: String, Choice {
    case capture
    case playback

    /// Shown in the usage line; the words themselves are in the help.
    package static let placeholder = "DIRECTION"
  }

  /// The engine carries it out, because it opens devices.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "List the devices that record and play",
      details: [
        "Shows for each device the name to give to --device, what it is, and the sample rates, "
          + "channels and formats that it really has. The names stay the same when cards are "
          + "plugged in another order.",
        "Capture devices are opened for that only with microphone access; without it they are listed "
          + "by name alone.",
        "Where PipeWire runs, each of its microphones and speakers is listed as pipewire:NODE=NAME, "
          + "with the rates and formats that the server does not have to convert.",
        "The test devices need no hardware: they make scripts run on a machine without sound.",
      ],
      operands: [direction],
      options: [OptionGroup("Options", [all])],
      examples: [
        Example("recorder devices", "Everything that records or plays"),
        Example("recorder devices capture", "Only what records"),
        Example("recorder devices --all", "Every name that ALSA knows, too"),
        Example("recorder devices --json", "The same for a program"),
      ])
  }
}
