internal import JSON
internal import Permission

/// The report of a permission command.
struct PermissionAnswer: Report {
  let report: PermissionReport
  /// The decisions for clients with a record, if the status of everyone was asked for.
  var clients: [Decision] = []
  /// The lines for `clients`.
  var clientLines: [String] = []
  /// The recordings and meters that use the microphone now.
  let inUse: [MicrophoneUse]
  /// True if notes and advice are suppressed.
  var isQuiet = false
  /// True if stderr has the result already.
  var isTold = false
  /// The commands to list below the result.
  var verbs: [Command] = []

  var exitCode: ExitCode { ExitCode(rawValue: report.exit.rawValue) ?? .failed }

  func text(_ style: Style) -> String {
    guard !isTold else { return "" }
    let rows = definitions(verbs.map { ("recorder \($0.name)", $0.summary) }, widest: 36)
    let lines = report.lines.filter { !isQuiet || !report.notes.contains($0) }
    return (lines + clientLines + inUse.map(\.sentence)).map(Self.lines).joined()
      + (rows.isEmpty ? "" : "\n" + rows)
  }

  /// The lines of a sentence; one that fits is not rewrapped, to keep the spaces of a path.
  private static func lines(_ sentence: String) -> String {
    sentence.count <= textWidth ? sentence + "\n" : paragraph(sentence)
  }

  var json: JSONObject {
    var object = report.decision.json
    object.set("clients", clients.map(\.json))
    object.set("inUse", inUse.map(\.json))
    object.set("message", report.lines)
    object.set("stopped", report.stopped.confirmed + report.stopped.empty)
    object.set("killed", report.stopped.killed)
    object.set("continuing", report.stopped.continuing)
    object.set("unconfirmed", report.stopped.unconfirmed)
    return object
  }
}
