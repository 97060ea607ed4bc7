/// The command `sound list`, which lists the sounds that can be played.
package enum SoundListCommand: CommandDefinition {
  /// The two words after `recorder`.
  package static var words: [String] { ["sound", "list"] }

  /// The text to search for; all sounds are listed without it.
  package static let search = Operand<Text>(
    .optional, named: "SEARCH",
    summary: "Only sounds whose name, other names or meaning hold this text")

  /// The engine carries it out, because it reads the sounds' files.
  package static var command: Command {
    Command(
      words, section: .sounds, summary: "List the sounds that can be played by name",
      details: [
        "Your own sounds come first, then those that come with the program, then those of the "
          + "desktop's themes. A name that is there several times is listed once: as what is played.",
        "A sound has other names, too, those that desktops use for events such as dialog-error: "
          + "\"recorder sound info NAME\" tells them, and they can be searched for.",
      ],
      operands: [search],
      examples: [
        Example("recorder sound list", "All of them"),
        Example("recorder sound list battery", "Those that have to do with a battery"),
        Example("recorder sound list --json", "The same for a program"),
      ])
  }
}

/// The command `sound info`, which shows the file that a name plays.
package enum SoundInfoCommand: CommandDefinition {
  /// The two words after `recorder`.
  package static var words: [String] { ["sound", "info"] }

  /// The sound to describe.
  package static let sound = Operand<Text>(
    .one, named: "NAME", summary: "A sound's name, as for play")

  /// The engine carries it out, because it reads the file.
  package static var command: Command {
    Command(
      words, section: .sounds, summary: "Show what is played under a name",
      details: [
        "Shows where the sound comes from, what it stands for, its other names, and what its file "
          + "holds. For a file that has no name in the library there is \"recorder info FILE\"."
      ],
      operands: [sound],
      examples: [
        Example("recorder sound info done", "Where \"done\" comes from"),
        Example("recorder sound info message-new-email", "Which sound is played for this event"),
      ],
      ends: [.notFound, .notASound])
  }
}

/// The command `sound add`, which adds a file to the user's sounds.
package enum SoundAddCommand: CommandDefinition {
  /// The two words after `recorder`.
  package static var words: [String] { ["sound", "add"] }

  /// The file to add.
  package static let file = Operand<FilePath>(
    .one, summary: "A sound file: WAV, RF64, W64, AIFF, AU, CAF, FLAC, Ogg or MP3")
  /// The option that names the sound.
  package static let name = Option<Text>(
    "name", short: "n", summary: "What to call it; as its file, without the ending, if not given")

  /// The engine carries it out, because it reads the file.
  package static var command: Command {
    Command(
      words, section: .sounds, summary: "Give a sound file a name to play it by",
      details: [
        "Decodes the file to its end, and copies it to your own sounds where that succeeds. They "
          + "come before every other sound of the same name.",
        "Never replaces a sound of your own: remove that first, or give another --name.",
      ],
      operands: [file],
      options: [OptionGroup("Options", [name])],
      examples: [
        Example("recorder sound add bark.ogg", "From now on \"recorder play bark\" plays it"),
        Example("recorder sound add tada.wav --name done", "Play it instead of the sound \"done\""),
      ],
      ends: [.notFound, .outputRefused, .notASound])
  }
}

/// The command `sound remove`, which removes a sound of the user.
package enum SoundRemoveCommand: CommandDefinition {
  /// The two words after `recorder`.
  package static var words: [String] { ["sound", "remove"] }

  /// The sound to remove.
  package static let sound = Operand<Text>(
    .one, named: "NAME", summary: "One of your own sounds, by exactly its name")

  /// The engine carries it out, with the other commands of the library.
  package static var command: Command {
    Command(
      words, section: .sounds, summary: "Remove one of your own sounds",
      details: [
        "Removes the file from your own sounds. Where another sound has the same name, that is "
          + "played again.",
        "A sound that comes with the program or with a theme stays; \"recorder sound mute NAME\" "
          + "silences it.",
      ],
      operands: [sound],
      examples: [Example("recorder sound remove bark", "Remove the sound \"bark\"")],
      ends: [.notFound])
  }
}
