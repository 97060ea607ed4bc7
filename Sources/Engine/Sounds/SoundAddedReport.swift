internal import CommandLine
internal import JSON

/// A file that has become a sound.
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
