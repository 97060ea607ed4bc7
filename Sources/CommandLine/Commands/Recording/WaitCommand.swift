internal import Control

/// The command `wait`, which waits for the end of a recording.
enum WaitCommand: Carrier {
  static var words: [String] { ["wait"] }

  /// The exit codes with which the permission can end a recording.
  static let permissionEnds: [ExitCode] = [.revokedWhileRecording, .expiredWhileRecording]

  static var command: Command {
    Command(
      words, section: .recording, summary: "Wait until a recording has ended",
      details: ["Prints what became of it and exits as its \"recorder stop\" would."],
      operands: [RecordingName.operand],
      examples: [Example("recorder wait", "Wait for the recording")],
      ends: [.notFound, .incomplete, .nothingCaptured, .outputRefused] + permissionEnds)
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    return RecordingReport(
      try link.result(of: RecordingName.given(arguments, link), asking: "wait"))
  }
}
