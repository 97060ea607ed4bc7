internal import Control
internal import JSON
internal import Linux
internal import Store

/// The command `takes`, which lists finished recordings.
enum TakesCommand: RunnableCommand {
  static var words: [String] { ["takes"] }

  private static let search = Operand<Text>(
    .optional, named: "SEARCH", summary: "List only takes whose path or name contains this text")

  static var command: Command {
    Command(
      words, section: .recording, summary: "List finished recordings",
      details: [
        "Oldest first. A recording that did not end normally is listed with the reason and the exit "
          + "code; a file that was moved, removed or replaced since is marked."
      ],
      operands: [search],
      examples: [
        Example("recorder takes", "List all takes"),
        Example("recorder takes interview", "List takes with interview in the path or name"),
      ])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let text = arguments[search].first?.value.lowercased()
    let store = try SessionClient().store
    store.settle()
    let takes = store.allTakes.filter { take, _ in
      guard let text else { return true }
      return take.name.lowercased().holds(text)
        || take.path?.lowercased().holds(text) == true
    }
    return TakesReport(takes: takes, search: arguments[search].first?.value)
  }
}

/// The report of finished recordings.
struct TakesReport: Report {
  private let takes: [Take]
  /// The text to search for; nil for all takes.
  private let search: String?

  init(takes: [(take: RecordingResult, host: Host?)], search: String?) {
    self.search = search
    var taken: Set<String> = []
    // The file at a path belongs to the last take with that path.
    self.takes = takes.reversed().map { result, host in
      Take(
        result: result, isReplaced: result.path.map { !taken.insert($0).inserted } ?? false,
        host: host?.name)
    }.reversed()
  }

  func text(_ style: Style) -> String {
    guard takes.isEmpty else { return takes.map { $0.line(style) + "\n" }.joined() }
    return search.map { "No take matches \(quoted($0)).\n" } ?? "There are no takes.\n"
  }

  var json: JSONObject { ["takes": .array(takes.map(\.json))] }
}

/// A finished recording, and its file in its present state.
private struct Take {
  let result: RecordingResult
  /// True if a later take has the same path.
  let isReplaced: Bool
  /// The other machine that recorded it and shares the home; nil for this one.
  let host: String?

  private var isThere: Bool {
    !isReplaced && result.path.map { (try? FileStatus(of: $0)) != nil } ?? false
  }

  func line(_ style: Style) -> String {
    let name = result.path.map(printable) ?? result.place
    let notes = notes.isEmpty ? "" : style.warning("  (\(notes.joined(separator: "; ")))")
    return "\(localTime(of: result.began))  \(clock(result.duration))  \(name)\(notes)"
  }

  /// The deviations from a complete take whose file is still in place.
  private var notes: [String] {
    var notes: [String] = []
    if result.exit != 0 { notes.append("\(result.reason.rawValue), exit \(result.exit)") }
    if let host { notes.append("on \(printable(host))") }
    if isReplaced {
      notes.append("replaced since")
    } else if result.path != nil && !isThere {
      notes.append("not there any more")
    }
    return notes
  }

  var json: JSONValue {
    var members = result.json.object ?? [:]
    members.set("exists", isThere)
    members.set("replaced", isReplaced)
    members.set("host", host)
    return .object(members)
  }
}
