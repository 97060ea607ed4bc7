internal import Control
internal import JSON

/// `--version`: which release this is.
struct VersionReport: Report {
  func text(_ style: Style) -> String { "recorder \(Version.current)\n" }

  var json: JSONObject { ["version": .string(Version.current)] }
}
