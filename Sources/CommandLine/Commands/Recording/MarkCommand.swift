internal import Control
internal import JSON

/// The command `mark`, which sets a mark at the current frame.
enum MarkCommand: Carrier {
  static var words: [String] { ["mark"] }

  static let text = Operand<Text>(.optional, summary: "What happened; one line")
  static let name = Option<SessionName>(
    "name", short: "n", summary: Meant.summary("recording", usual: SessionName.usual.text))

  static var command: Command {
    Command(
      words, section: .recording, summary: "Mark this moment in a recording",
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
    let link = try SessionLink()
    let recording = try link.meant(by: arguments[name])
    let answer = try link.obey(recording, "mark", ["text": .string(text)])
    return MarkReport(recording: recording.text, answer: answer)
  }
}

/// The report of a mark.
struct MarkReport: Report {
  let recording: String
  /// The status of the recording, with the mark in it.
  let answer: JSONObject

  func text(_ style: Style) -> String {
    let mark = answer["mark"]
    let time = mark?["time"].flatMap(Duration.init(json:)).map { " at \(clock($0))" } ?? ""
    let text = mark?["text"]?.string ?? ""
    if time.isEmpty {
      return "\(recording) is waiting to record; the mark is placed where the take begins\n"
    }
    return "Marked \(recording)\(time)\(text.isEmpty ? "" : ": " + printable(text))\n"
  }

  var json: JSONObject { answer }
}
