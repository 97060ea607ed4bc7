/// The command `pause`, which pauses a recording.
enum PauseCommand: Carrier {
  static var words: [String] { ["pause"] }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Pause a recording",
      details: ["The file goes on where it stopped; a marker tells of it. Again changes nothing."],
      operands: [RecordingName.operand],
      examples: [Example("recorder pause", "Pause the recording")],
      ends: [.notFound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    let status = try link.status(
      of: RecordingName.given(arguments, link), after: "pause")
    return StatusReport(recordings: [status], isSingle: true)
  }
}
