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
