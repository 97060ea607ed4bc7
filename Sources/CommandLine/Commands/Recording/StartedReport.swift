internal import Control
internal import JSON

/// The report of a recording that started.
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

  /// The format of the device, if the file has another one; else empty.
  private var origin: String {
    guard let file = status.file, file != status.stream else { return "" }
    return ", made of \(status.stream)"
  }

  var json: JSONObject { status.json.object ?? [:] }
}

extension RecordingStatus {
  /// The format of the file and of its samples: `WAV, 48000 Hz, stereo, S16`.
  var fileFormat: String { "\(facts.format), \(facts.file ?? facts.stream)" }
}
