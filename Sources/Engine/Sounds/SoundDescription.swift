internal import CommandLine
internal import Files
internal import JSON

/// What a sound file says of itself, as a process told it that a broken one may have broken.
struct SoundDescription: Equatable {
  /// What a program is told.
  let members: JSONObject
  /// What a person is told.
  let rows: [SoundFileReport.Row]
  /// How the names of such files end.
  let ending: String

  var duration: Duration? { members["duration"].flatMap(Duration.init(json:)) }

  init(_ info: SoundFileInfo, ending: String) {
    let report = SoundFileReport(path: "", info: info)
    var members = report.json.object ?? [:]
    for key in ["path", "levels"] { members[key] = nil }
    self.members = members
    rows = report.rows
    self.ending = ending
  }

  /// Reads what a process wrote; nil where it is nothing.
  init?(_ object: JSONObject) {
    guard let members = object["members"]?.object, let ending = object["ending"]?.string,
      let rows = object["rows"]?.array
    else { return nil }
    self.members = members
    self.ending = ending
    self.rows = rows.compactMap { row in
      guard let term = row[0]?.string, let meaning = row[1]?.string else { return nil }
      return (printable(term), printable(meaning))
    }
  }

  /// The same for another process.
  var object: JSONObject {
    [
      "members": .object(members), "ending": ending.json,
      "rows": .array(rows.map { [$0.term.json, $0.meaning.json] }),
    ]
  }

  static func == (left: SoundDescription, right: SoundDescription) -> Bool {
    left.object == right.object
  }
}
