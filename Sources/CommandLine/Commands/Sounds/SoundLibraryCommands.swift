/// The command `sound list`, which lists the sounds that can be played.
package enum SoundListCommand: CommandDefinition {
  /// The two words after `recorder`.
  package static var words: [String] { ["sound", "list"] }

  /// The text to search for; all sounds are listed without it.
  package static let search = Operand<Text>(
    .optional, named: "SEARCH",
    summary: "List only sounds whose name, other names or meaning contain this text")

  /// The description of the command. The engine runs it, because it reads the sounds' files.
  package static var command: Command {
    Command(
      words, section: .sounds, summary: "List sounds that can be played by name",
      details: [
        "Your own sounds come first, then the bundled ones, then those of desktop "
          + "themes. If several sounds have the same name, it is listed once, with the sound that it plays.",
        "A sound also has the names that desktops use for events, such as dialog-error. "
          + "\"recorder sound info NAME\" shows them, and SEARCH finds them.",
      ],
      operands: [search],
      examples: [
        Example("recorder sound list", "List all sounds"),
        Example("recorder sound list battery", "List sounds for battery events"),
        Example("recorder sound list --json", "Print the list as JSON"),
      ])
  }
}

/// The command `sound info`, which shows the file that a name plays.
package enum SoundInfoCommand: CommandDefinition {
  /// The two words after `recorder`.
  package static var words: [String] { ["sound", "info"] }

  /// The sound to describe.
  package static let sound = Operand<SoundText>(
    .one, named: "NAME", summary: "Name of a sound, as for play")

  /// The description of the command. The engine runs it, because it reads the file.
  package static var command: Command {
    Command(
      words, section: .sounds, summary: "Show the sound that a name plays",
      details: [
        "Shows the source of the sound, its meaning, its other names and the format of its file. For "
          + "a file without a name in the library, use \"recorder info FILE\"."
      ],
      operands: [sound],
      examples: [
        Example("recorder sound info done", "Show the source of \"done\""),
        Example("recorder sound info message-new-email", "Show the sound of this event"),
      ],
      ends: [.notFound, .notASound])
  }
}

/// The command `sound add`, which adds a file to the user's sounds.
package enum SoundAddCommand: CommandDefinition {
  /// The two words after `recorder`.
  package static var words: [String] { ["sound", "add"] }

  /// The file to add.
  package static let file = Operand<FileOrTake>(
    .one, summary: "Sound file: WAV, RF64, W64, AIFF, AU, CAF, FLAC, Ogg or MP3")
  /// The option that names the sound.
  package static let name = Option<Text>(
    "name", short: "n", summary: "Name of the sound (default: the file name without its extension)")

  /// The description of the command. The engine runs it, because it reads the file.
  package static var command: Command {
    Command(
      words, section: .sounds, summary: "Add a file to your own sounds",
      details: [
        "Decodes the file to its end and, if that succeeds, copies it to your own sounds. They come "
          + "before all other sounds of the same name.",
        "Never replaces one of your own sounds: remove that first, or give another --name.",
      ],
      operands: [file],
      options: [OptionGroup("Options", [name])],
      examples: [
        Example("recorder sound add bark.ogg", "Play it with \"recorder play bark\""),
        Example("recorder sound add tada.wav --name done", "Replace the sound \"done\""),
      ],
      ends: [.notFound, .outputRefused, .notASound])
  }
}

/// The command `sound remove`, which removes a sound of the user.
package enum SoundRemoveCommand: CommandDefinition {
  /// The two words after `recorder`.
  package static var words: [String] { ["sound", "remove"] }

  /// The sound to remove.
  package static let sound = Operand<SoundText>(
    .one, named: "NAME", summary: "Exact name of one of your own sounds")

  /// The description of the command. The engine runs it, like the other commands of the library.
  package static var command: Command {
    Command(
      words, section: .sounds, summary: "Remove one of your own sounds",
      details: [
        "Moves the file to the trash; \"recorder undo\" restores it. If another sound has the same name, the name plays "
          + "that one again.",
        "A sound that comes with recorder or with a theme cannot be removed; \"recorder sound mute "
          + "NAME\" silences it.",
      ],
      operands: [sound],
      examples: [Example("recorder sound remove bark", "Remove the sound \"bark\"")],
      ends: [.notFound])
  }
}
