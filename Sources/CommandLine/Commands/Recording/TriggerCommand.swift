/// The command `trigger`, which starts a take that is armed.
enum TriggerCommand: Carrier {
  static var words: [String] { ["trigger"] }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Start the take of an armed recording",
      details: [
        "What \"recorder start --armed\" heard last, as long as its --pre-roll, is the take's "
          + "beginning. Where the take has begun already nothing changes."
      ],
      operands: [RecordingName.operand],
      examples: [
        Example("recorder trigger", "Keep what was just heard, and what comes")
      ],
      ends: [.notFound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    let status = try link.status(
      of: RecordingName.given(arguments, link), after: "trigger")
    return StatusReport(recordings: [status], isSingle: true)
  }
}
