internal import Analysis
internal import Audio
internal import Control
internal import Exports
internal import Files
internal import JSON
internal import Linux

/// The facts about a sound file, as a child process reported them.
struct SoundDescription: Equatable {
  /// The facts as JSON, for programs.
  private(set) var members: JSONObject
  /// The levels, or nil if they were not measured.
  var levels: SoundLevels?
  /// Whether the levels are those of all files of a take.
  var hasLevelsOfTake = false
  /// The facts as rows for the user, without the levels.
  let facts: [Row]
  /// The tracks as rows for the user.
  private var tracks: [Row] = []
  /// The usual extension of a file with this format.
  let ending: String
  /// The smallest sample format that holds the samples exactly, or nil if there is none.
  let sample: SampleFormat?
  /// The sample format of a file without a header, or nil if the file states its format.
  var raw: StreamFormat?

  /// The file as the source of an export, without its sidecar, or nil if the file does not state
  /// its length.
  var source: ExportSource? {
    var source = ExportSource(members, sample: sample)
    source?.raw = raw
    return source
  }

  /// The missing or surplus parts of the file, or nil if it is whole.
  var flaw: SoundFlaw? { members["flaw"].flatMap(SoundFlaw.init(json:)) }

  var duration: Duration? { members["duration"].flatMap(Duration.init(json:)) }

  /// The length as text for the user.
  var length: String { facts.first { $0.term == "Length" }?.meaning ?? "unknown" }

  /// All rows for the user.
  var rows: [Row] {
    let flaws: [Row] = flaw.map { [("Flaw", $0.finding)] } ?? []
    let scope: [Row] = hasLevelsOfTake ? [("Levels", "of all files of the take")] : []
    return facts + flaws + scope + (levels?.rows ?? []) + tracks + tags + marks
  }

  /// The marks as rows for the user.
  private var marks: [Row] {
    guard let source else { return [] }
    return source.marks.map { mark in
      let time = clock(mark.frame.duration(at: source.rate))
      return ("Marker", "\(time)  \(printable(mark.label))")
    }
  }

  /// The tags as rows for the user.
  private var tags: [Row] {
    SoundFileTag.allCases.compactMap { tag in
      guard let text = members["tags"]?[tag.rawValue]?.string, !text.isEmpty else { return nil }
      return Self.local((tag.title, printable(text)))
    }
  }

  /// Returns the row of a date tag with its time in local time. Any other row, and a date without a
  /// complete RFC 3339 time, is returned unchanged.
  private static func local(_ row: Row) -> Row {
    guard row.term == SoundFileTag.date.title, let time = WallTime(rfc3339: row.meaning) else {
      return row
    }
    return (row.term, localTime(of: time.sinceEpoch))
  }

  /// Removes the flaw of a file that is still being written.
  mutating func ignoreFlaw() { members["flaw"] = .null }

  init(_ info: SoundFileInfo, ending: String) {
    members = info.members
    facts = info.facts
    self.ending = ending
    sample = info.sample
  }

  /// Decodes an output line of a child process. The result is nil if the line is not a description.
  init?(_ object: JSONObject) {
    guard let members = object["members"]?.object, let ending = object["ending"]?.string,
      let facts = object["facts"]
    else { return nil }
    self.members = members
    self.ending = ending
    sample = object["sample"].flatMap(SampleFormat.init(json:))
    self.facts = (facts.array ?? []).compactMap { row in
      guard let term = row[0]?.string, let meaning = row[1]?.string else { return nil }
      return (printable(term), printable(meaning))
    }
  }

  /// Replaces the title of the file. An empty `title` removes the old title.
  mutating func setTitle(_ title: String) {
    var tags = members["tags"]?.object ?? [:]
    tags.set(SoundFileTag.title.rawValue, title.isEmpty ? nil : title)
    members["tags"] = .object(tags)
  }

  /// Adds the tracks from the sidecar of the take at `path`. Also adds the title, the comment, the
  /// date and the marks that the file itself does not have.
  mutating func addSidecar(beside path: String, _ console: Console) {
    guard var source else { return }
    if let sidecar = TakeLookup.sidecar(of: path) { source.addSidecar(at: sidecar) }
    members["tags"] = .object(source.tags.members)
    let hasFiles = source.tracks.contains { $0.file != nil }
    let tracks = hasFiles ? TakeLookup.fileTracks(at: path, console) : source.tracks
    if let tracks = tracks.named {
      members["tracks"] = tracks.json
      let take: [Row] = tracks.extentAndSize.map { [("Take", $0)] } ?? []
      self.tracks = take + tracks.rows(at: source.deviceRate ?? source.rate)
    } else if let text = TakeLookup.trackText(of: path) {
      self.tracks = [("Take", text)]
    }
    guard members["marks"]?.array?.isEmpty == true else { return }
    members["marks"] = source.marks.json(at: source.rate)
  }

  /// The description as JSON, for another process.
  var object: JSONObject {
    var object: JSONObject = [
      "members": .object(members), "ending": ending.json,
      "facts": .array(facts.map { [$0.term.json, $0.meaning.json] }),
    ]
    object.set("sample", sample?.rawValue)
    return object
  }

  static func == (left: SoundDescription, right: SoundDescription) -> Bool {
    left.object == right.object && left.levels == right.levels
  }
}

/// The facts that a sound file states, as texts.
extension SoundFileInfo {
  /// The facts of the file as rows, except its name, its tags and its marks.
  fileprivate var facts: [Row] {
    [
      ("Container", printable(container)),
      ("Encoding", printable(encoding)),
      ("Format", "\(rate), \(channels)"),
      ("Length", lengthText),
      ("Size", bytes < 1_024 ? counted(Int(bytes), "byte") : sizeText),
    ]
  }

  private var sizeText: String { "\(ByteCount(bytes)) (\(bytes) bytes)" }

  private var lengthText: String {
    guard let frames, let duration else { return "unknown" }
    return "\(clock(duration)) (\(counted(Int(frames.value), "frame")))"
  }
}

extension [SoundFileCue] {
  /// The marks as JSON, for programs.
  fileprivate func json(at rate: SampleRate) -> JSONValue {
    .array(
      map { cue in
        [
          "frame": cue.frame.value.json, "time": cue.frame.duration(at: rate).json,
          "label": .string(cue.label),
        ]
      })
  }
}

extension SoundFileInfo {
  /// The facts as JSON, for programs.
  fileprivate var members: JSONObject {
    [
      "container": .string(container),
      "encoding": .string(encoding),
      "bits": bits?.json ?? nil,
      "rate": rate.hertz.json,
      "channels": channels.value.json,
      "frames": frames?.value.json ?? nil,
      "duration": duration?.json ?? nil,
      "bytes": bytes.json,
      "flaw": flaw?.json ?? .null,
      "tags": .object(tags.members),
      "marks": cues.json(at: rate),
    ]
  }
}

extension SoundFileTags {
  /// The texts by the names of their tags, in the order of the tags.
  fileprivate var members: JSONObject {
    var members = JSONObject()
    for tag in SoundFileTag.allCases { members.set(tag.rawValue, self[tag]) }
    return members
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
