internal import Control
internal import JSON

/// A recording that began.
struct StartedReport: Report {
  let status: RecordingStatus

  func text(_ style: Style) -> String {
    style.heading("Recording to \(printable(status.path ?? "stdout"))") + "\n"
      + definitions([
        ("Name", status.name), ("Id", status.identifier), ("Device", printable(status.device)),
        ("Format", "\(status.format), from \(status.stream)"),
      ])
  }

  var json: JSONObject { status.json.object ?? [:] }
}
