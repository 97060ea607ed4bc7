/// The command `recover`, which completes the files of interrupted recordings.
package enum RecoverCommand: CommandDefinition {
  /// The word after `recorder`.
  package static var words: [String] { ["recover"] }

  /// The parts or directories to recover; all of this user's if there are none.
  package static let paths = Operand<FilePath>(
    .any, named: "PATH", summary: "A recording that was interrupted, or a directory to look in")
  /// The option for a machine that shares the home and no longer records.
  package static let from = Option<HostLabel>(
    "from", summary: "Also those of this machine, which shares the home and is gone for good")
  /// The flag that lists the parts and changes nothing.
  package static let list = Flag(
    "list", short: "l", summary: "Only show what there is to recover, and change nothing")

  /// The engine carries it out, because it rewrites sound files.
  package static var command: Command {
    Command(
      words, section: .recording, summary: "Save the recordings that were interrupted",
      details: [
        "When the program or the machine dies, what was recorded until then is in a hidden file, "
          + ".FILE.part. This cuts off what is torn at its end, lets its header say what there is, puts "
          + "the marks in, and names it FILE-recovered, with a number where that name is taken. "
          + "Nothing is replaced. What a crash costs is the last audio: \(CrashCost.words).",
        "Without PATH all interrupted recordings of this user are saved, wherever they are. PATH is "
          + "the part itself, the FILE that it was to become, or a directory. A recording that still "
          + "runs is never touched.",
        "\"recorder start\" with the same FILE does this first.",
        "What another machine records into the same home is left alone. --from HOST says that this "
          + "machine does not record any more.",
      ],
      operands: [paths],
      options: [OptionGroup("Options", [list, from])],
      examples: [
        Example("recorder recover", "Save all that were interrupted"),
        Example("recorder recover --list", "Show them"),
        Example("recorder recover talk.flac", "Save what was to become talk.flac"),
        Example("recorder recover /media/card", "Save those in that directory"),
      ],
      ends: [.notFound, .alreadyRecording, .outputRefused, .incomplete, .notASound])
  }
}
