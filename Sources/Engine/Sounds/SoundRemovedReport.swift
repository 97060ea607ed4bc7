internal import CommandLine
internal import JSON
internal import Sounds

/// The report of a removed sound of the user's own.
struct SoundRemovedReport: Report {
  let name: String
  /// The paths of the removed files.
  let paths: [String]
  /// The sound that the name plays from now on; nil for none.
  let next: LibrarySound?

  var json: JSONObject {
    [
      "removed": ["name": name.json, "paths": paths.json],
      "now": next.map { .object($0.json) } ?? .null,
    ]
  }

  func text(_ style: Style) -> String {
    let removed = paths.map { "Removed \(printable($0)).\n" }.joined()
    guard let next else { return removed }
    let meaning = next.entry.name == name ? "" : " (\(quoted(next.entry.name)))"
    return removed
      + "\(quoted(name)) is now the sound that \(next.entry.source.sentence)\(meaning).\n"
  }
}
