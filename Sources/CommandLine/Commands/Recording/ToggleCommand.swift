/// `toggle`: pause, or go on.
enum ToggleCommand: Carrier {
  static var words: [String] { ["toggle"] }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Pause, or go on",
      details: ["For a key or a button."],
      operands: [RecordingName.operand],
      examples: [Example("recorder toggle", "Pause or go on")],
      ends: [.notFound] + ResumeCommand.permissionEnds)
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let status = try SessionLink().status(
      of: RecordingName.given(arguments), after: "toggle")
    return StatusReport(recordings: [status], isSingle: true)
  }
}
