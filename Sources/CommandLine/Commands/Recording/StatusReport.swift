internal import Audio
internal import Control
internal import JSON
internal import Store

/// What is being recorded now.
struct StatusReport: Report {
  var recordings: [RecordingStatus]
  var interrupted: [SessionRecord] = []
  /// Sessions that live and cannot be asked.
  private(set) var unreachable: [(record: SessionRecord, place: Whereabouts)] = []
  /// Sessions of other machines that share the home.
  var distant: [DistantRecording] = []
  /// Whether it is about one recording, which was named.
  var isSingle = false
  /// True if levels are drawn, for a page that is shown again and again.
  var showsMeters = false

  init(recordings: [RecordingStatus], interrupted: [SessionRecord] = [], isSingle: Bool = false) {
    self.recordings = recordings
    self.interrupted = interrupted
    self.isSingle = isSingle
  }

  /// Adds a recording that was reached, also from another container.
  mutating func add(_ status: RecordingStatus) {
    recordings.append(status)
    distant.removeAll { $0.record.identifier == status.identifier }
  }

  /// Adds one that cannot be asked.
  mutating func add(unreachable record: SessionRecord, _ place: Whereabouts) {
    let isTold = distant.contains { $0.record.identifier == record.identifier }
    if !isTold { unreachable.append((record, place)) }
  }

  func text(_ style: Style) -> String {
    let blocks =
      recordings.map { block($0, style) }
      + unreachable.map { unreachable($0.record, $0.place, style) }
      + interrupted.map { interrupted($0, style) } + distant.map { block($0, style) }
    return blocks.isEmpty ? "Nothing is being recorded.\n" : blocks.joined(separator: "\n")
  }

  var json: JSONObject {
    if isSingle { return recordings.first?.json.object ?? [:] }
    return [
      "recordings": .array(recordings.map(\.json)),
      "unreachable": .array(unreachable.map(\.record.json)),
      "interrupted": .array(interrupted.map(\.json)),
      "elsewhere": .array(distant.map(\.json)),
    ]
  }

  private static let meterWidth = 48
  /// A disk that lasts for longer than anybody records is no news.
  private static let soon = 86_400.0

  private func block(_ status: RecordingStatus, _ style: Style) -> String {
    let heading = "\(status.name): \(status.state.rawValue)"
    var rows = [
      ("File", printable(status.path ?? "stdout")),
      ("Device", "\(printable(status.device)), \(status.stream)"),
      ("Format", status.fileFormat),
      ("Length", length(status)),
      ("Level", levels(status)),
    ]
    if showsMeters { rows.append(("Meter", meter(status, width: Self.meterWidth))) }
    if let free = status.freeSeconds, free < Self.soon {
      rows.append(("Disk", "full in \(roughly(.seconds(free)))"))
    }
    rows += status.warnings.map { ("Warning", printable($0)) }
    return style.heading(heading) + "\n"
      + definitions(rows.map { (term: $0.0, meaning: $0.1) })
  }

  /// Of an armed recording nothing is written, so no level is its highest.
  private func levels(_ status: RecordingStatus) -> String {
    let now = level(status.level.peak)
    return status.state == .armed ? now : "\(now), highest \(level(status.highestPeak))"
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

  private func block(_ recording: DistantRecording, _ style: Style) -> String {
    let (record, host) = (recording.record, printable(recording.host.name))
    return style.heading("\(printable(record.name)): on \(host)") + "\n"
      + definitions([
        (term: "File", meaning: printable(record.path ?? "stdout")),
        (term: "Device", meaning: printable(record.device)),
        (term: "Began", meaning: localTime(of: record.began)),
        (term: "End it", meaning: Whereabouts.host(recording.host.name).command(record.name)),
      ])
  }

  private func unreachable(
    _ record: SessionRecord, _ place: Whereabouts, _ style: Style
  ) -> String {
    let state = record.isBeginning ? "begins" : "records, but cannot be reached"
    return style.heading("\(printable(record.name)): \(state)") + "\n"
      + definitions([
        (term: "File", meaning: printable(record.path ?? "stdout")),
        (term: "Device", meaning: printable(record.device)),
        (term: "Began", meaning: localTime(of: record.began)),
        (term: "End it", meaning: place.command(record.name)),
      ])
  }
}

extension DistantRecording {
  /// The record, with the name of its host.
  var json: JSONValue {
    var members = record.json.object ?? [:]
    members.set("host", host.name)
    return .object(members)
  }
}

extension SessionRecord {
  /// Whether its device is being opened, while nobody is answered.
  var isBeginning: Bool { path != nil && part == nil }
}
