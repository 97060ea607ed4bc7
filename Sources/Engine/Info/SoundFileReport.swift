internal import Audio
internal import CommandLine
internal import Files
internal import JSON

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
    let level = Decibels(amplitude: amplitude)
    return level.value.isFinite ? rounded(level.value, places: 1) + " dBFS" : "silence"
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
