internal import Control
internal import JSON

/// A recording that began.
struct StartedReport: Report {
  let status: RecordingStatus

  func text(_ style: Style) -> String {
    let verb = status.state == .armed ? "Waiting to record" : "Recording"
    return style.heading("\(verb) to \(printable(status.path ?? "stdout"))") + "\n"
      + definitions([
        ("Name", status.name), ("Id", status.identifier), ("Device", printable(status.device)),
        ("Format", status.fileFormat + origin),
      ])
  }

  /// What the device delivers, where the file holds something else.
  private var origin: String {
    guard let file = status.file, file != status.stream else { return "" }
    return ", made of \(status.stream)"
  }

  var json: JSONObject { status.json.object ?? [:] }
}

extension RecordingStatus {
  /// The kind of file and how its samples lie in it: `WAV, 48000 Hz, stereo, S16`.
  var fileFormat: String { "\(format), \(file ?? stream)" }
}
