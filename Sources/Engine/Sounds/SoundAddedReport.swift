internal import CommandLine
internal import JSON

/// The report of a file that was added as a sound.
struct SoundAddedReport: Report {
  let name: String
  let path: String
  let duration: Duration

  var json: JSONObject {
    [
      "sound": [
        "name": name.json, "path": path.json, "duration": duration.json, "source": "user",
      ]
    ]
  }

  func text(_ style: Style) -> String {
    "\(quoted(name)) is \(printable(path)), \(clock(duration)) long.\n"
  }
}
