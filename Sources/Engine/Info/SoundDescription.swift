internal import Audio
internal import CommandLine
internal import Files
internal import JSON

/// The facts about a sound file, as a child process reported them.
struct SoundDescription: Equatable {
  /// The facts for programs.
  let members: JSONObject
  /// The levels for programs; null where they were not measured.
  let levels: JSONValue
  /// The facts for people.
  let rows: [SoundFileReport.Row]
  /// The usual suffix of such a file's name.
  let ending: String

  var duration: Duration? { members["duration"].flatMap(Duration.init(json:)) }

  init(_ info: SoundFileInfo, _ level: Level? = nil, ending: String) {
    let report = SoundFileReport(path: "", info: info, level: level)
    var members = report.json.object ?? [:]
    levels = members["levels"] ?? .null
    for key in ["path", "levels"] { members[key] = nil }
    self.members = members
    rows = report.rows
    self.ending = ending
  }

  /// Reads the line of a child process; nil where it is no description.
  init?(_ object: JSONObject) {
    guard let members = object["members"]?.object, let ending = object["ending"]?.string,
      let rows = object["rows"]?.array
    else { return nil }
    self.members = members
    self.ending = ending
    levels = object["levels"] ?? .null
    self.rows = rows.compactMap { row in
      guard let term = row[0]?.string, let meaning = row[1]?.string else { return nil }
      return (printable(term), printable(meaning))
    }
  }

  /// The same facts for another process.
  var object: JSONObject {
    [
      "members": .object(members), "levels": levels, "ending": ending.json,
      "rows": .array(rows.map { [$0.term.json, $0.meaning.json] }),
    ]
  }

  static func == (left: SoundDescription, right: SoundDescription) -> Bool {
    left.object == right.object
  }
}

/// The contents of one sound file, to be shown.
struct SoundFileReport: Equatable {
  let path: String
  let info: SoundFileInfo
  /// The measured level; nil unless asked for, because measuring reads the whole file.
  var level: Level?

  func text(_ style: Style) -> String {
    style.heading(printable(path)) + "\n" + definitions(rows)
  }

  /// The facts of the file in rows, except its name.
  var rows: [Row] { facts + words + marks }

  typealias Row = (term: String, meaning: String)

  private var facts: [Row] {
    var rows: [Row] = [
      ("Container", printable(info.container)),
      ("Encoding", printable(info.encoding)),
      ("Format", "\(info.rate), \(info.channels)"),
      ("Length", length),
      ("Size", "\(ByteCount(info.bytes)) (\(info.bytes) bytes)"),
    ]
    if let level {
      let clipped = level.clipped > 0 ? ", \(counted(level.clipped, "sample")) clipped" : ""
      rows.append(("Peak", shown(level.peak) + clipped))
      rows.append(("RMS", shown(level.rms)))
    }
    return rows
  }

  private var length: String {
    guard let frames = info.frames, let duration = info.duration else { return "unknown" }
    return "\(clock(duration)) (\(frames.value) frames)"
  }

  private var words: [Row] {
    SoundFileTag.allCases.compactMap { tag in
      info.tags[tag].map { (tag.title, printable($0)) }
    }
  }

  private var marks: [Row] {
    info.cues.map { cue in
      ("Marker", "\(clock(cue.frame.duration(at: info.rate)))  \(printable(cue.label))")
    }
  }

  private func shown(_ amplitude: Double) -> String {
    levelText(Decibels(amplitude: amplitude))
  }
}

extension SoundFileReport {
  var json: JSONValue {
    [
      "path": .string(path),
      "container": .string(info.container),
      "encoding": .string(info.encoding),
      "bits": info.bits?.json ?? nil,
      "rate": info.rate.hertz.json,
      "channels": info.channels.value.json,
      "frames": info.frames?.value.json ?? nil,
      "duration": info.duration?.json ?? nil,
      "bytes": info.bytes.json,
      "levels": level.map(json) ?? nil,
      "tags": .object(tags),
      "cues": .array(info.cues.map(json)),
    ]
  }

  private var tags: JSONObject {
    var tags = JSONObject()
    for tag in SoundFileTag.allCases { tags.set(tag.rawValue, info.tags[tag]) }
    return tags
  }

  private func json(_ level: Level) -> JSONValue {
    [
      "peak": .number(Decibels(amplitude: level.peak).value),
      "rms": .number(Decibels(amplitude: level.rms).value),
      "clipped": level.clipped.json,
    ]
  }

  private func json(_ cue: SoundFileCue) -> JSONValue {
    [
      "frame": cue.frame.value.json,
      "time": cue.frame.duration(at: info.rate).json,
      "label": .string(cue.label),
    ]
  }
}

extension SoundFileTag {
  /// The name of the tag in the report.
  fileprivate var title: String {
    switch self {
    case .trackNumber: "Track"
    default: rawValue.prefix(1).uppercased() + rawValue.dropFirst()
    }
  }
}
