internal import Audio
internal import Control
internal import JSON

/// What is being recorded now.
struct StatusReport: Report {
  var recordings: [RecordingStatus]
  var interrupted: [SessionRecord] = []
  /// Sessions that live and cannot be asked.
  var unreachable: [SessionRecord] = []
  /// Whether it is about one recording, which was named.
  var isSingle = false

  func text(_ style: Style) -> String {
    let blocks =
      recordings.map { block($0, style) } + unreachable.map { unreachable($0, style) }
      + interrupted.map { interrupted($0, style) }
    return blocks.isEmpty ? "Nothing is being recorded.\n" : blocks.joined(separator: "\n")
  }

  var json: JSONObject {
    if isSingle { return recordings.first?.json.object ?? [:] }
    return [
      "recordings": .array(recordings.map(\.json)),
      "unreachable": .array(unreachable.map(\.json)),
      "interrupted": .array(interrupted.map(\.json)),
    ]
  }

  private func block(_ status: RecordingStatus, _ style: Style) -> String {
    let heading = "\(status.name): \(status.state.rawValue)"
    var rows = [
      ("File", printable(status.path ?? "stdout")),
      ("Device", "\(printable(status.device)), \(status.stream)"),
      ("Format", status.fileFormat),
      ("Length", length(status)),
      ("Level", "\(level(status.level.peak)), highest \(level(status.highestPeak))"),
    ]
    if let free = status.freeSeconds { rows.append(("Disk", "full in \(span(free))")) }
    rows += status.warnings.map { ("Warning", printable($0)) }
    return style.heading(heading) + "\n"
      + definitions(rows.map { (term: $0.0, meaning: $0.1) })
  }

  private func length(_ status: RecordingStatus) -> String {
    let length = clock(status.frames.onDisk.duration(at: status.stream.rate))
    let marks = status.marks > 0 ? ", \(counted(status.marks, "mark"))" : ""
    return "\(length), \(ByteCount(status.bytes))\(marks)"
  }

  private func interrupted(_ record: SessionRecord, _ style: Style) -> String {
    style.heading("\(printable(record.name)): interrupted") + "\n"
      + definitions([
        (
          term: "File",
          meaning: record.parts.isEmpty
            ? "stdout" : record.parts.map(printable).joined(separator: ", ")
        ),
        (term: "Began", meaning: localTime(of: record.began)),
        (term: "Repair", meaning: "recorder recover"),
      ])
  }

  private func unreachable(_ record: SessionRecord, _ style: Style) -> String {
    let state = record.isBeginning ? "begins" : "records, but cannot be reached"
    return style.heading("\(printable(record.name)): \(state)") + "\n"
      + definitions([
        (term: "File", meaning: printable(record.path ?? "stdout")),
        (term: "Device", meaning: printable(record.device)),
        (term: "Began", meaning: localTime(of: record.began)),
        (term: "End it", meaning: "kill -TERM \(record.process)"),
      ])
  }

  private func span(_ seconds: Double) -> String {
    let hours = seconds / 3_600
    if hours >= 2 { return "\(rounded(min(hours, 1e6), places: 0)) h" }
    if seconds >= 120 { return "\(rounded(seconds / 60, places: 0)) min" }
    return "\(rounded(seconds.rounded(.down), places: 0)) s"
  }
}

extension SessionRecord {
  /// Whether its device is being opened, while nobody is answered.
  var isBeginning: Bool { path != nil && part == nil }
}
