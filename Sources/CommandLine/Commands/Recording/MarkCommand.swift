internal import Control
internal import JSON

/// `mark`: a marker at this frame.
enum MarkCommand: Carrier {
  static var words: [String] { ["mark"] }

  static let text = Operand<Text>(.optional, summary: "What happened; one line")
  static let name = Option<SessionName>("name", short: "n", summary: "The recording's name")

  static var command: Command {
    Command(
      words, section: .recording, summary: "Mark what is being recorded now",
      details: ["A WAV file carries its markers itself; other files have them in FILE.json."],
      operands: [text],
      options: [OptionGroup("Options", [name])],
      examples: [Example("recorder mark applause", "Mark this moment")],
      ends: [.notFound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let text = try MarkText.checked(arguments[text].first?.value ?? "")
    let status = try SessionLink().obey(
      arguments[name] ?? .usual, "mark", ["text": .string(text)])
    return StatusReport(recordings: [status], isSingle: true)
  }
}
