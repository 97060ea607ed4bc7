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
