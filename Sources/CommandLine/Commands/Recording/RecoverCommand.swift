/// The command `recover`, which completes the files of interrupted recordings.
package enum RecoverCommand: CommandDefinition {
  /// The word after `recorder`.
  package static var words: [String] { ["recover"] }

  /// The parts or directories to recover; without any, all parts of this user.
  package static let paths = Operand<FilePath>(
    .any, named: "PATH",
    summary: "Interrupted recording, a directory to search, or a WAV file to repair")
  /// The option for a machine that shares the home and no longer records.
  package static let from = Option<HostLabel>(
    "from",
    summary: "Include recordings of this lost machine, which shared the home")
  /// The flag that lists the parts without changing them.
  package static let list = Flag(
    "list", short: "l", summary: "List interrupted recordings without changing anything")

  /// The description of the command. The engine runs it, because it rewrites sound files.
  package static var command: Command {
    Command(
      words, section: .recording, summary: "Save interrupted recordings",
      details: [
        "After a crash or a power failure, the audio recorded until then is in a hidden file, "
          + ".FILE.part. recover cuts off its damaged end, corrects its header, adds the marks and "
          + "renames it to FILE-recovered, with a number if that name is taken. Nothing is replaced. "
          + "A crash loses only the last audio: \(CrashCost.words).",
        "Without PATH, saves all interrupted recordings of this user. PATH is the hidden file, the "
          + "FILE that it was recorded for, or a directory. A recording that is still "
          + "running is never touched.",
        "If a hidden file was moved or renamed, give its new PATH. A missing one is reported once.",
        "\"recorder start\" with the same FILE recovers it first.",
        "If PATH is a WAV file of any program that is cut short or has extra bytes at its end, recover "
          + "writes a repaired copy next to it, FILE-recovered, and does not change the file.",
        "Recordings of other machines that share the home are not touched, unless --from HOST says "
          + "that a machine no longer records.",
      ],
      operands: [paths],
      options: [OptionGroup("Options", [list, from])],
      examples: [
        Example("recorder recover", "Save all interrupted recordings"),
        Example("recorder recover --list", "List them"),
        Example("recorder recover talk.flac", "Save the recording to talk.flac"),
        Example("recorder recover /media/card", "Save those in this directory"),
        Example("recorder recover ./download.wav", "Write a repaired copy, download-recovered.wav"),
      ],
      ends: [.notFound, .alreadyRecording, .outputRefused, .incomplete, .notASound])
  }
}
