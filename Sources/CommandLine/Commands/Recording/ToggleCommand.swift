/// The command `toggle`, which pauses or resumes a recording.
enum ToggleCommand: Carrier {
  static var words: [String] { ["toggle"] }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Pause or resume a recording",
      details: ["For a key or a button."],
      operands: [RecordingName.operand],
      examples: [Example("recorder toggle", "Pause or resume")],
      ends: [.notFound] + ResumeCommand.permissionEnds)
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    let status = try link.status(
      of: RecordingName.given(arguments, link), after: "toggle")
    return StatusReport(recordings: [status], isSingle: true)
  }
}
