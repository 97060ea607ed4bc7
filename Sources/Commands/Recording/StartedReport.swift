internal import Control
internal import JSON
internal import Linux

/// The report of a recording that has started.
struct StartedReport: Report {
  let status: RecordingStatus
  /// The path that all files of the series share, or nil if it is not known.
  var series: String?

  func text(_ style: Style) -> String {
    let verb = status.state == .armed ? "Waiting to record" : "Recording"
    var rows: [(term: String, meaning: String)] = [
      ("Name", status.name), ("Id", status.identifier),
    ]
    rows += status.facts.trackRows ?? [("Device", status.tracks[0].deviceText)]
    rows.append(("Format", status.fileFormat + origin))
    if let replaced = status.replacedText {
      rows.append(("Replaces", replaced))
    } else if let appearance = status.appearance {
      rows.append((status.facts.files.count > 1 ? "Files" : "File", appearance))
    }
    if let start = status.startText { rows.append(("Waits for", start)) }
    if let limits = status.limitsText(of: series.map { $0.pathParts.name }) {
      rows.append(("Limits", limits))
    }
    return style.heading("\(verb) to \(status.destination)") + "\n"
      + definitions(rows)
      + "Stop with: \(stopCommand(status.name))\n"
  }

  /// The format of the device if it differs from the format of the file, else empty.
  private var origin: String {
    guard let file = status.file, file != status.stream else { return "" }
    return ", converted from \(status.stream)"
  }

  var json: JSONObject { status.json.object ?? [:] }
}

extension RecordingStatus {
  /// The existing file that the recording will replace, or nil if there is none. While the
  /// recording ends, this is nil, because the file at the path may be the recorded file.
  var replacedText: String? {
    guard let replaces, state != .finishing,
      facts.files.contains(where: { (try? FileStatus(of: $0, following: false)) != nil })
    else { return nil }
    return replaces == .trash
      ? "the file of that name, which goes to the trash at the end"
      : "the file of that name, which is deleted at the end"
  }
}
