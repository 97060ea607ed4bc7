/// The command `resume`, which resumes a paused recording.
enum ResumeCommand: Carrier {
  static var words: [String] { ["resume"] }

  /// The exit codes with which the permission can keep a recording from resuming.
  static let permissionEnds: [ExitCode] = [
    .permissionNotDetermined, .permissionDenied, .permissionRestricted, .permissionUnusable,
  ]

  static var command: Command {
    Command(
      words, section: .recording, summary: "Resume a paused recording",
      details: ["Needs the permission still, and never asks for it. Again changes nothing."],
      operands: [RecordingName.operand],
      examples: [Example("recorder resume", "Go on")],
      ends: [.notFound] + permissionEnds)
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    let status = try link.status(
      of: RecordingName.given(arguments, link), after: "resume")
    return StatusReport(recordings: [status], isSingle: true)
  }
}
