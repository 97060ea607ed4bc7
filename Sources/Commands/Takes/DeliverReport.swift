internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Store

/// The report of deliveries.
struct DeliverReport: Report {
  let queues: [DeliveryQueue]
  /// Whether the files are listed.
  var isList = false
  /// The number of delivered files, or nil if no delivery was attempted.
  var delivered: Int?
  /// The file whose delivery was given up.
  var forgotten: String?

  /// `undelivered` if files still wait after an attempt.
  var exitCode: ExitCode {
    delivered == nil || queues.allSatisfy(\.files.isEmpty) ? .done : .undelivered
  }

  /// Formats one block for each series with waiting files.
  func text(_ style: Style) -> String {
    var lines: [String] = []
    if let forgotten { lines.append("\(printable(forgotten)) will not be delivered.\n") }
    if let delivered, delivered > 0 { lines.append("\(counted(delivered, "file")) delivered.\n") }
    let busy = queues.filter { !$0.isIdle || (isList && $0.state.deleted > 0) }
    if busy.isEmpty, forgotten == nil { lines.append("No files are waiting for delivery.\n") }
    return lines.joined() + busy.map { $0.block(style, isList: isList) }.joined(separator: "\n")
  }

  /// The array `deliveries`, with an object for each series.
  var json: JSONObject {
    var members: JSONObject = ["deliveries": .array(queues.map { $0.json(isList: isList) })]
    members.set("delivered", delivered)
    members.set("forgotten", forgotten)
    return members
  }
}

extension DeliveryQueue {
  /// Formats a heading and rows.
  func block(_ style: Style, isList: Bool = false) -> String {
    var rows: [Row] = []
    if let oldest {
      let size = ByteCount(waiting.reduce(0) { $0 + $1.result.bytes })
      rows.append(
        ("Waiting", "\(counted(waiting.count, "file")), \(size), since \(localTime(of: oldest))"))
    }
    if let error = state.error {
      let since = state.failingSince.map { " since " + localTime(of: $0) } ?? ""
      rows.append(("Failed", "\(counted(state.failures, "attempt"))\(since)"))
      // The path has its own row, where no line break divides it.
      let file = waiting.first?.result.path ?? ""
      let end = " (\(quoted(file)))"
      let isNamed = error.ends(with: end)
      if isNamed, !isList { rows.append(("File", printable(file))) }
      let problem = isNamed ? error.trimmingBytes(last: end.utf8.count) : error
      rows.append(("Problem", printable(problem)))
    }
    if !missing.isEmpty { rows.append(("Missing", counted(missing.count, "file"))) }
    if state.deleted > 0 {
      rows.append(("Deleted", "\(counted(state.deleted, "undelivered file")) to free space"))
    }
    if isList {
      rows += waiting.map { ("File", printable($0.result.path ?? "")) }
      rows += missing.map { ("Missing", printable($0.result.path ?? "")) }
    }
    return style.heading("Delivery of \(printable(state.series))") + "\n" + definitions(rows)
  }

  /// Returns the object of a series, which is part of the JSON of several commands.
  func json(isList: Bool = false) -> JSONValue {
    var members: JSONObject = ["series": state.series.json, "waiting": waiting.count.json]
    members.set("bytes", waiting.reduce(0) { $0 + $1.result.bytes })
    members["oldest"] = oldest?.moment
    members.set("failures", state.failures)
    members.set("error", state.error)
    members["failingSince"] = state.failingSince?.moment
    members["missing"] = .array(missing.map { ($0.result.path ?? "").json })
    members.set("deleted", state.deleted)
    if isList { members["files"] = .array(waiting.map { ($0.result.path ?? "").json }) }
    return .object(members)
  }
}

extension MachineStore {
  /// Returns the deliveries of all series. If they cannot be read, prints a warning and returns an
  /// empty array.
  func deliveries(_ console: Console) -> [DeliveryQueue] {
    do throws(DirectoryRefusal) {
      return try deliveries()
    } catch {
      console.warn("cannot read the waiting deliveries: \(error)")
      return []
    }
  }
}
