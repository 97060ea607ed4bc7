internal import Control
internal import JSON

/// The report of `--version`: the release of this program.
struct VersionReport: Report {
  func text(_ style: Style) -> String { "recorder \(Version.current)\n" }

  var json: JSONObject { ["version": .string(Version.current)] }
}
