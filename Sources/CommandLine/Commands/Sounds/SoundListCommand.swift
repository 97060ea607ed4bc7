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
