/// The command `split`, which continues the recording in a new file.
enum SplitCommand: Carrier {
  static var words: [String] { ["split"] }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Continue the recording in a new file",
      details: [
        "No frame is lost or repeated: the files one after the other are the take. After a.wav comes "
          + "a-002.wav, or the name that the time gives; a name that is in use is passed over. The file "
          + "before is complete a moment later."
      ],
      operands: [RecordingName.operand],
      examples: [
        Example("recorder split", "Begin the next file"),
        Example("recorder split log", "The same for the recording that is called log"),
      ],
      ends: [.notFound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    let status = try link.status(
      of: RecordingName.given(arguments, link), after: "split")
    return StatusReport(recordings: [status], isSingle: true)
  }
}
