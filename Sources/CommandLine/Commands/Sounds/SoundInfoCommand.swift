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
