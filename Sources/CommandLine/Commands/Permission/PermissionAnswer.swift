internal import JSON
internal import Permission

/// What a permission command answers.
struct PermissionAnswer: Report {
  let report: PermissionReport
  /// What holds for the clients of which something was decided, where all are meant.
  var clients: [Decision] = []
  /// The same for a person.
  var clientLines: [String] = []
  /// Who listens now.
  let inUse: [MicrophoneUse]
  /// True if advice is left out.
  var isQuiet = false
  /// Whether a person was told already, on stderr.
  var isTold = false
  /// What else may be done.
  var verbs: [Command] = []

  var exitCode: ExitCode { ExitCode(rawValue: report.exit.rawValue) ?? .failed }

  func text(_ style: Style) -> String {
    guard !isTold else { return "" }
    let rows = definitions(verbs.map { ("recorder \($0.name)", $0.summary) }, widest: 36)
    let lines = report.lines.filter { !isQuiet || !report.notes.contains($0) }
    return (lines + clientLines + inUse.map(\.sentence)).map(Self.lines).joined()
      + (rows.isEmpty ? "" : "\n" + rows)
  }

  /// What fits stays as it is: the spaces of a path are its own.
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
