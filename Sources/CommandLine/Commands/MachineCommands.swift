/// The command `devices`, which lists the capture and playback devices.
package enum DevicesCommand: CommandDefinition {
  /// The word after `recorder`.
  package static var words: [String] { ["devices"] }

  /// The direction to list; both directions are listed without it.
  package static let direction = Operand<Direction>(
    .optional, summary: "List only these devices")

  /// The flag that adds every name of ALSA's configuration.
  package static let all = Flag(
    "all", short: "a", summary: "Also list every name in ALSA's configuration")

  /// The direction of the sound through a device.
  package enum Direction: String, WordValue {
    case capture
    case playback

    /// The name of a direction in the usage line. The help lists the words themselves.
    package static let placeholder = "DIRECTION"
  }

  /// The description of the command. The engine runs it, because it opens devices.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "List capture and playback devices",
      details: [
        "Shows the name of each device for --device, its description, and the sample rates, channels "
          + "and formats of its hardware. The names stay the same if cards are plugged in in another "
          + "order.",
        "Capture devices are opened for this only with microphone access; without it, only their "
          + "names are listed.",
        "If PipeWire is running, each of its microphones and speakers is listed as "
          + "pipewire:NODE=NAME, with the rates and formats that need no conversion.",
        "The test devices need no hardware: scripts can use them on a machine without sound.",
      ],
      operands: [direction],
      options: [OptionGroup("Options", [all])],
      examples: [
        Example("recorder devices", "List all devices"),
        Example("recorder devices capture", "List capture devices"),
        Example("recorder devices --all", "Also list every name in ALSA's configuration"),
        Example("recorder devices --json", "Print the list as JSON"),
      ])
  }
}

/// The command `info`, which describes sound files.
package enum InfoCommand: CommandDefinition {
  /// The word after `recorder`.
  package static var words: [String] { ["info"] }

  /// The files to describe.
  package static let files = Operand<FileOrTake>(
    .many, summary: "Sound file: WAV, RF64, W64, AIFF, AU, CAF, FLAC, Ogg or MP3; or a take, as @1")
  /// The flag that reads each file to its end and measures its levels.
  package static let levels = Flag(
    "levels", short: "l", summary: "Read each whole file, and also show its levels")

  /// The description of the command. The engine runs it, because it reads untrusted files.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "Show the format and tags of sound files",
      details: [
        "Shows the container, encoding, sample rate, channels, length, tags and markers of each "
          + "file. Reads any sound file, not only recordings.",
        "If a file is cut short or has extra bytes at its end, a row shows how many frames it has.",
        "On a terminal, \"recorder info\" without FILE opens a list of takes to pick from.",
        "If a file cannot be read, the others are still shown; the exit code is that of the first "
          + "failure.",
      ],
      operands: [files],
      options: [OptionGroup("Options", [levels])],
      examples: [
        Example("recorder info take.wav", "Show the format and tags of take.wav"),
        Example("recorder info @1", "Show those of the newest take"),
        Example("recorder info --levels *.flac", "Also show the levels of these files"),
        Example("recorder info --json take.wav", "Print them as JSON"),
      ],
      ends: [.notFound, .alreadyRecording, .notASound])
  }
}

/// The command `doctor`, which diagnoses recording and playing on this system.
package enum DoctorCommand: CommandDefinition {
  /// The word after `recorder`.
  package static var words: [String] { ["doctor"] }

  /// The description of the command. The engine runs it, because it examines sound cards.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "Diagnose sound on this system",
      details: [
        "Checks the sound cards, your access to them, the sound server, the mixers, microphone "
          + "access, the directories and the free space. Each check is ok, a warning or a problem; "
          + "warnings and problems say what to do. Nothing is recorded, played or changed."
      ],
      examples: [
        Example("recorder doctor", "Check this machine"),
        Example("recorder doctor --quiet", "Show problems only"),
        Example("recorder doctor --json", "Print the checks as JSON"),
      ],
      ends: [
        .device, .outputRefused, .permissionDenied, .permissionRestricted, .permissionUnusable,
      ])
  }
}
