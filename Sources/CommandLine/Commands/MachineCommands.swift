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

/// The command `info`, which describes sound files.
package enum InfoCommand: CommandDefinition {
  /// The word after `recorder`.
  package static var words: [String] { ["info"] }

  /// The files to describe.
  package static let files = Operand<FilePath>(
    .many, summary: "A sound file: WAV, RF64, W64, AIFF, AU, CAF, FLAC, Ogg or MP3")
  /// The flag that reads each file to its end and measures its levels.
  package static let levels = Flag(
    "levels", short: "l", summary: "Read each file to its end and show its peak and mean level")

  /// The engine carries it out, because it reads foreign files.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "Show what a sound file holds",
      details: [
        "Shows the container, the encoding, the sample rate, the channels, the length, the tags and "
          + "the markers of each file. Any sound file can be read, not only recordings.",
        "Where a file cannot be read the others are still shown; the exit code is that of the "
          + "first that failed.",
      ],
      operands: [files],
      options: [OptionGroup("Options", [levels])],
      examples: [
        Example("recorder info take.wav", "What take.wav holds"),
        Example("recorder info --levels *.flac", "How loud each of these files is, too"),
        Example("recorder info --json take.wav", "The same for a program"),
      ],
      ends: [.notFound, .notASound])
  }
}

/// The command `doctor`, which diagnoses recording and playing on this system.
package enum DoctorCommand: CommandDefinition {
  /// The word after `recorder`.
  package static var words: [String] { ["doctor"] }

  /// The engine carries it out, because it examines sound cards.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "Diagnose sound on this system",
      details: [
        "Checks the sound cards, the rights of this user, the sound server, the mixers, the "
          + "permission, the directories and the free space. Each check is ok, a warning or a problem; the last two say what to do. "
          + "Nothing is recorded, played or changed."
      ],
      examples: [
        Example("recorder doctor", "Check this machine"),
        Example("recorder doctor --quiet", "Show problems only"),
        Example("recorder doctor --json", "The same for a program"),
      ],
      ends: [
        .device, .outputRefused, .permissionDenied, .permissionRestricted, .permissionUnusable,
      ])
  }
}
