/// `toggle`: pause, or go on.
enum ToggleCommand: Carrier {
  static var words: [String] { ["toggle"] }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Pause, or go on",
      details: ["For a key or a button."],
      operands: [RecordingName.operand],
      examples: [Example("recorder toggle", "Pause or go on")],
      ends: [.notFound, .permissionDenied])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let status = try SessionLink().obey(RecordingName.given(arguments), "toggle")
    return StatusReport(recordings: [status], isSingle: true)
  }
}
