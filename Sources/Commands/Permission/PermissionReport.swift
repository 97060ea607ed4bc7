internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Permission
internal import Store

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
  let inUse: [MicrophoneUse]
  /// Whether notes and advice are suppressed.
  var isQuiet = false
  /// Whether the result was already written to stderr.
  var isTold = false
  /// The commands to list below the result.
  var verbs: [Command] = []

  var exitCode: ExitCode { summary.exit }

  func text(_ style: Style) -> String {
    guard !isTold else { return "" }
    let rows = definitions(verbs.map { ("recorder \($0.name)", $0.summary) }, widest: 36)
    let lines = summary.lines.filter { !isQuiet || !summary.notes.contains($0) }
    return (lines + otherLines + inUse.map(\.sentence)).map(Self.lines).joined()
      + (rows.isEmpty ? "" : "\n" + rows)
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
    object.set("unconfirmed", summary.stopped.unconfirmed)
    return object
  }
}

/// A running recording or meter.
struct MicrophoneUse: Hashable, Sendable {
  let kind: Listener.Kind
  let name: String
  let process: Int32
  let device: String
  let path: String?
  /// The start of the use, as the time since 1970.
  let began: Duration
  /// The name of the other machine that shares the home, or nil for this machine.
  let host: String?

  init(_ listener: Listener) {
    let record = listener.record
    kind = listener.kind
    host = listener.host?.name
    name = record.name
    process = record.process
    device = record.tracks.devices
    path = record.path
    began = record.began
  }

  /// Returns the current uses. No session is asked, so a session that hangs is listed too.
  static func now() -> [MicrophoneUse] {
    guard let paths = try? SessionPaths.current() else { return [] }
    return MachineStore(paths).sessions.listeners.map(MicrophoneUse.init)
  }

  /// The use as a sentence for the user.
  var sentence: String {
    let since = WallTime(sinceEpoch: began).local("%Y-%m-%d %H:%M:%S") ?? ""
    let whom = kind == .meter ? "a meter" : "the recording \(quoted(name))"
    return "In use since \(since) by \(whom) (\(printable(device)))"
      + (host.map { " on \(quoted($0))." } ?? ".")
  }

  var json: JSONObject {
    var members: JSONObject = [
      "name": .string(name), "pid": process.json, "device": .string(device),
      "path": path?.json ?? .null,
      "since": .string(WallTime(sinceEpoch: began).rfc3339),
    ]
    members.set("host", host)
    return members
  }
}
