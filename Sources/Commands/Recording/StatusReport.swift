internal import Audio
internal import Control
package import JSON
internal import Linux
internal import Store

/// The report of the running recordings.
struct StatusReport: Report {
  var recordings: [RecordingStatus]
  var interrupted: [SessionRecord] = []
  /// The interrupted recordings whose parts no longer exist.
  var missing: [SessionRecord] = []
  /// Live sessions that did not answer.
  private(set) var unreachable: [(record: SessionRecord, location: RecordingLocation)] = []
  /// Sessions of other machines that share the home directory.
  var distant: [DistantRecording] = []
  /// The deliveries of files that were recorded on this machine.
  var deliveries: [DeliveryQueue] = []
  /// The recording that ended last, or nil if it ended too long ago or the report has recordings.
  var lately: EndedTake?
  /// The status from before a split, or nil if no file was finished. The `destination` of this
  /// status is the file that the split has finished.
  var finished: RecordingStatus?
  /// Whether the report is about a single, named recording.
  var isSingle = false

  /// Whether nothing is being recorded on this machine.
  var isIdle: Bool { recordings.isEmpty && unreachable.isEmpty }

  init(recordings: [RecordingStatus], interrupted: [SessionRecord] = [], isSingle: Bool = false) {
    self.recordings = recordings
    self.interrupted = interrupted
    self.isSingle = isSingle
  }

  /// Adds a recording that answered. If it runs in another container, it was listed as distant, and
  /// is removed from that list.
  mutating func add(_ status: RecordingStatus) {
    recordings.append(status)
    distant.removeAll { $0.record.identifier == status.identifier }
  }

  /// Adds a session that did not answer, unless it is listed as distant.
  mutating func add(unreachable record: SessionRecord, _ location: RecordingLocation) {
    let isTold = distant.contains { $0.record.identifier == record.identifier }
    if !isTold { unreachable.append((record, location)) }
  }

  /// Whether there are no recordings to report.
  var isEmpty: Bool {
    recordings.isEmpty && unreachable.isEmpty && interrupted.isEmpty && missing.isEmpty
      && distant.isEmpty
  }

  /// Removes everything that is not about the recording named `name`.
  mutating func narrow(to name: String) {
    recordings.removeAll { !$0.name.isSameName(as: name) }
    unreachable.removeAll { !$0.record.name.isSameName(as: name) }
    interrupted.removeAll { !$0.name.isSameName(as: name) }
    missing.removeAll { !$0.name.isSameName(as: name) }
    distant.removeAll { !$0.record.name.isSameName(as: name) }
    lately = nil
  }

  func text(_ style: Style) -> String {
    let blocks =
      recordings.map { block($0, style) }
      + unreachable.map { unreachable($0.record, $0.location, style) }
      + interrupted.map { interrupted($0, style) } + missing.map { missing($0, style) }
      + distant.map { block($0, style) }
    let waiting = deliveries.filter { !$0.isIdle }.map { $0.block(style) }
    let last = lately.map { "\($0.sentence).\n" } ?? ""
    let nothing = blocks.isEmpty ? ["Nothing is being recorded.\n" + last] : []
    return (nothing + blocks + waiting).joined(separator: "\n")
  }

  var json: JSONObject {
    if isSingle { return recordings.first?.json.object ?? [:] }
    var members: JSONObject = [
      "recordings": .array(recordings.map(\.json)),
      "unreachable": .array(unreachable.map { .object($0.record.listed) }),
      "interrupted": .array(interrupted.map { .object($0.listed) }),
      "missing": missing.missingParts,
      "elsewhere": .array(distant.map { .object($0.record.listed) }),
      "deliveries": .array(deliveries.map { $0.json() }),
    ]
    members.set("last", lately?.json)
    return members
  }

  /// The time until the disk is full is shown if it is below this number of seconds.
  private static let soon = 86_400.0

  private func block(_ status: RecordingStatus, _ style: Style) -> String {
    let heading = stateHeading(status.name, status.state.rawValue)
    var rows: [(term: String, meaning: String)] = [
      (
        status.facts.files.count > 1 ? "Files" : "File",
        status.destination + (status.appearance.map { " (\($0))" } ?? "")
      )
    ]
    if let replaced = status.replacedText { rows.append(("Replaces", replaced)) }
    if let finished { rows.append(("Finished", finished.destination)) }
    let meters = status.trackMeters
    let tracks = status.facts.trackRows?.enumerated().map { index, row in
      (row.term, row.meaning + (meters.isEmpty ? "" : ", now \(level(meters[index].peak))"))
    }
    rows += tracks ?? [("Device", "\(status.tracks[0].deviceText), \(status.stream)")]
    rows.append(("Format", status.fileFormat))
    if let start = status.startText {
      rows.append(("Waits for", start))
    } else {
      rows.append(("Length", length(status)))
    }
    if let take = take(status) { rows.append(("Take", take)) }
    if let levels = levels(status) { rows.append(("Level", levels)) }
    if let limits = status.limitsText() { rows.append(("Limits", limits)) }
    if let free = status.freeSeconds, free < Self.soon {
      rows.append(("Disk", "full in \(roughly(.seconds(free)))"))
    }
    rows += status.warnings.map { ("Warning", printable($0)) }
    return style.heading(heading) + "\n" + definitions(rows)
  }

  /// Formats the current and the highest level, or returns nil if neither is known. An armed
  /// recording has written nothing and has no highest level. Its mean level is shown instead,
  /// because `--start-on-sound` measures mean levels. A paused recording has no current level.
  private func levels(_ status: RecordingStatus) -> String? {
    var levels = status.level.map { [level($0.peak)] } ?? []
    if status.isArmed {
      levels += status.level.map { ["mean \(level($0.rms))"] } ?? []
    } else if status.level != nil || status.frames.onDisk > 0 {
      levels.append("highest \(level(status.highestPeak))")
      if status.totalClipped > 0 {
        levels.append("\(counted(status.totalClipped, "sample")) clipped")
      }
    }
    return levels.isEmpty ? nil : levels.joined(separator: ", ")
  }

  /// Formats the length and the size of the file.
  private func length(_ status: RecordingStatus) -> String {
    let frames = status.segmentFrames ?? status.frames.onDisk
    let length = clock(frames.duration(at: status.stream.rate))
    return "\(length), \(ByteCount(status.bytes))" + (isSplit(status) ? "" : marks(status))
  }

  /// Formats the length of a take in several files, or returns nil for a take in one file.
  private func take(_ status: RecordingStatus) -> String? {
    guard isSplit(status), let files = status.segment else { return nil }
    let length = clock(status.frames.onDisk.duration(at: status.stream.rate))
    return "\(length) in \(counted(files, "file"))" + marks(status)
  }

  private func isSplit(_ status: RecordingStatus) -> Bool { (status.segment ?? 1) > 1 }

  private func marks(_ status: RecordingStatus) -> String {
    status.marks > 0 ? ", \(counted(status.marks, "mark"))" : ""
  }

  private func missing(_ record: SessionRecord, _ style: Style) -> String {
    style.heading(stateHeading(record.name, "interrupted, and its file is missing")) + "\n"
      + definitions([
        (term: "Part", meaning: pathText(record.part ?? "")),
        (term: "Began", meaning: localTime(of: record.began)),
        (term: "Moved", meaning: "recorder recover PATH repairs it at its new path"),
        (term: "Deleted", meaning: "recorder recover removes it from this list"),
      ])
  }

  private func interrupted(_ record: SessionRecord, _ style: Style) -> String {
    style.heading(stateHeading(record.name, "interrupted")) + "\n"
      + definitions([
        (
          term: "File",
          meaning: record.left.isEmpty
            ? "stdout" : record.left.map(pathText).joined(separator: ", ")
        ),
        (term: "Began", meaning: localTime(of: record.began)),
        (term: "Repair", meaning: "recorder recover"),
      ])
  }

  private func block(_ recording: DistantRecording, _ style: Style) -> String {
    let (record, host) = (recording.record, printable(recording.host.name))
    return style.heading(stateHeading(record.name, "on \(host)")) + "\n"
      + definitions([
        (term: "File", meaning: pathText(record.path ?? "stdout")),
        (term: "Device", meaning: printable(record.tracks.devices)),
        (term: "Began", meaning: localTime(of: record.began)),
        (term: "End it", meaning: RecordingLocation.host(recording.host.name).command(record.name)),
      ])
  }

  private func unreachable(
    _ record: SessionRecord, _ location: RecordingLocation, _ style: Style
  ) -> String {
    let state = record.isBeginning ? "starting" : "recording, but not responding"
    return style.heading(stateHeading(record.name, state)) + "\n"
      + definitions([
        (term: "File", meaning: pathText(record.path ?? "stdout")),
        (term: "Device", meaning: printable(record.tracks.devices)),
        (term: "Began", meaning: localTime(of: record.began)),
        (term: "End it", meaning: location.command(record.name)),
      ])
  }
}

extension SessionRecord {
  /// The record as reports show it, with the name of the host and the paths of the parts.
  package var listed: JSONObject {
    var members = json.object ?? [:]
    members["host"] = host.name.json
    members["hosted"] = nil
    members["reported"] = nil
    members["parts"] = parts.map(\.path).json
    return members
  }

  /// The object of a recording whose part no longer exists.
  fileprivate var missingPart: JSONValue {
    ["id": identifier.json, "name": name.json, "part": part?.json ?? nil, "began": began.moment]
  }

  /// Whether the device is being opened and the session does not answer yet.
  var isBeginning: Bool { path != nil && part == nil }
}

extension [SessionRecord] {
  /// The list of recordings whose parts no longer exist.
  package var missingParts: JSONValue { .array(map(\.missingPart)) }
}

extension RecordingStatus {
  /// The files, or stdout.
  var destination: String {
    facts.files.isEmpty ? "stdout" : alternatives(facts.files.map(pathText), "and")
  }

  /// A remark that the files appear when the recording ends, or nil for stdout. Until then, the
  /// files are hidden.
  var appearance: String? {
    switch facts.files.count {
    case 0: nil
    case 1: "appears when it ends"
    default: "appear when it ends"
    }
  }

  /// The format of the file and of its samples: `WAV, 48000 Hz, stereo, S16`. A lossy file has no
  /// sample format.
  var fileFormat: String {
    let stream = facts.file ?? facts.stream
    let parts = ["\(facts.format)", "\(stream.rate)", facts.tracks.extent ?? "\(stream.channels)"]
    let sample = facts.format.isLossy ? [] : ["\(stream.sample)"]
    return (parts + sample).joined(separator: ", ")
  }
}
