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
