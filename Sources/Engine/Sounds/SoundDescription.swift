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
