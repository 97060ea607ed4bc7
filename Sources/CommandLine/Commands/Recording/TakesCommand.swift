internal import Control
internal import JSON
internal import Linux

/// `takes`: what was recorded.
enum TakesCommand: Carrier {
  static var words: [String] { ["takes"] }

  static let search = Operand<Text>(
    .optional, named: "SEARCH", summary: "Only takes whose path or name holds this text")

  static var command: Command {
    Command(
      words, section: .recording, summary: "List the saved recordings",
      details: ["Oldest first. A file that was moved or removed since is marked so."],
      operands: [search],
      examples: [
        Example("recorder takes", "All of them"),
        Example("recorder takes interview", "Those with interview in their path"),
      ])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let text = arguments[search].first?.value.lowercased()
    let takes = try SessionLink().shelf.takes.filter { take in
      guard let text else { return true }
      return take.name.lowercased().contains(text)
        || take.path?.lowercased().contains(text) == true
    }
    return TakesReport(takes: takes)
  }
}

/// Saved recordings.
struct TakesReport: Report {
  let takes: [RecordingResult]

  func text(_ style: Style) -> String {
    guard !takes.isEmpty else { return "There are no takes.\n" }
    return takes.map { take in
      let path = take.path ?? ""
      let mark = isThere(path) ? "" : style.warning("  (not there any more)")
      return "\(localTime(of: take.began))  \(clock(take.duration))  \(printable(path))\(mark)\n"
    }.joined()
  }

  var json: JSONObject {
    [
      "takes": .array(
        takes.map { take in
          var members = take.json.object ?? [:]
          members.set("exists", isThere(take.path ?? ""))
          return .object(members)
        })
    ]
  }

  private func isThere(_ path: String) -> Bool { (try? FileStatus(of: path)) != nil }
}
