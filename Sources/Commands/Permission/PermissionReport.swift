internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Permission
internal import Store
internal import Takes

/// The report of a permission command.
struct PermissionReport: Report {
  let summary: PermissionSummary
  /// The decision about each service.
  var services: [Decision] = []
  /// The decisions for clients with a record, if the status of everyone was requested.
  var clients: [Decision] = []
  /// The lines for other services and for clients.
  var otherLines: [String] = []
  /// The recordings and meters that run now.
  let inUse: [Listener]
  /// Whether notes and advice are suppressed.
  var isQuiet = false
  /// Whether the result was already written to stderr.
  var isTold = false
  /// The commands to list below the result.
  var verbs: [Command] = []

  var exitCode: ExitCode { summary.exit }

  func text(_ style: Style) -> String {
    guard !isTold else { return "" }
    let lines = summary.lines.filter { !isQuiet || !summary.notes.contains($0) }
    return (lines + otherLines + inUse.map(\.sentence)).map(Self.lines).joined()
      + verbs.list
  }

  /// Returns the lines of a sentence. A sentence that fits into one line is not wrapped again, to
  /// keep the spaces of a path.
  private static func lines(_ sentence: String) -> String {
    sentence.count <= textWidth ? sentence + "\n" : paragraph(sentence)
  }

  var json: JSONObject {
    var object = summary.decision.json
    object.set("services", services.map(\.json))
    object.set("clients", clients.map(\.json))
    object.set("inUse", inUse.map(\.json))
    object.set("message", summary.lines)
    object.set("stopped", summary.stopped.confirmed + summary.stopped.empty)
    object.set("killed", summary.stopped.killed)
    object.set("continuing", summary.stopped.continuing)
    object.set("silenced", summary.stopped.silenced)
    object.set("unconfirmed", summary.stopped.unconfirmed)
    return object
  }
}

extension [Command] {
  /// The list of the commands, to follow another text; empty if there are no commands.
  var list: String {
    let rows = definitions(map { ("recorder \($0.name)", $0.summary) }, widest: 36)
    return rows.isEmpty ? "" : "\n" + rows
  }
}

extension Listener {
  /// Returns the listener with only the tracks that use `service` and have not ended, or nil if
  /// there are no such tracks. If `service` is nil, a track of any service is returned.
  func using(_ service: Service?) -> Listener? {
    var record = record
    record.tracks.removeAll { $0.ended != nil || $0.service != service ?? $0.service }
    return record.tracks.isEmpty ? nil : Listener(kind, record, on: host)
  }

  /// The process in words.
  var whom: String {
    switch kind {
    case .meter: "a meter"
    case .recording: "the recording \(quoted(record.name))"
    case .reader: "a reader of the recording \(quoted(record.name))"
    }
  }

  /// The process, the device and the start as a sentence.
  var sentence: String {
    let since = WallTime(sinceEpoch: record.began).local("%Y-%m-%d %H:%M:%S") ?? ""
    return "In use since \(since) by \(whom) (\(printable(record.tracks.devices)))"
      + (host.map { " on \(quoted($0.name))." } ?? ".")
  }

  fileprivate var json: JSONObject {
    var members: JSONObject = [
      "name": .string(record.name), "pid": record.process.json,
      "device": .string(record.tracks.devices), "path": record.path?.json ?? .null,
      "since": .string(WallTime(sinceEpoch: record.began).rfc3339),
    ]
    members.set("host", host?.name)
    return members
  }
}
