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
    let recording = arguments[name] ?? .usual
    let answer = try SessionLink().obey(recording, "mark", ["text": .string(text)])
    return MarkReport(recording: recording.text, answer: answer)
  }
}

/// A moment that was marked.
struct MarkReport: Report {
  let recording: String
  /// The status, and the mark in it.
  let answer: JSONObject

  func text(_ style: Style) -> String {
    let mark = answer["mark"]
    let time = mark?["time"].flatMap(Duration.init(json:)).map { " at \(clock($0))" } ?? ""
    let text = mark?["text"]?.string ?? ""
    return "Marked \(recording)\(time)\(text.isEmpty ? "" : ": " + printable(text))\n"
  }

  var json: JSONObject { answer }
}
