internal import Control
internal import JSON
internal import Store

/// The command `cancel`, which ends a recording and deletes it.
enum CancelCommand: Carrier {
  static var words: [String] { ["cancel"] }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Stop a recording and discard it",
      details: [
        "Only the file that is being written is removed; finished files of a split recording stay."
      ],
      operands: [RecordingName.operand],
      examples: [Example("recorder cancel", "Throw the recording away")],
      ends: [.notFound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    let name = try RecordingName.given(arguments, link)
    guard let answer = try link.ask(name, "cancel", waitingUpTo: nil),
      let result = RecordingResult(json: .object(answer))
    else { throw link.absent(name) }
    link.store.consume(result, of: name)
    link.awaitProcess(of: name)
    // The recording was ending already, and its file is saved.
    return result.reason == .cancelled ? CancelledReport(result: result) : RecordingReport(result)
  }
}

/// The report of a recording that was deleted.
struct CancelledReport: Report {
  let result: RecordingResult

  func text(_ style: Style) -> String {
    let length = clock(result.duration)
    guard let total = result.total, total.files > 1 else {
      return "Cancelled after \(length); nothing was kept.\n"
    }
    let kept = total.files == 2 ? "the finished file stays" : "the finished files stay"
    return "Cancelled the file that was being written, after \(length); \(kept).\n"
  }

  var json: JSONObject { result.json.object ?? [:] }
}
