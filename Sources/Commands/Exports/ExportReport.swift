internal import Audio
internal import Exports
internal import JSON
internal import Linux

/// The report of files that were exported.
struct ExportReport: Report {
  let source: String
  let format: FileFormat
  let stream: StreamFormat
  /// The files made from the source. A file without a path was sent to stdout.
  let files: [ExportedFile]

  /// Warns about loudness, marks and low frequencies that the files do not have, and returns the
  /// report. If stdout carries the audio, the report goes to stderr, and only as JSON.
  func shown(outOf marks: Int, loudness: Double?, _ console: Console) -> any Report {
    if let loudness, let actual = files.first?.loudness, abs(actual - loudness) > 0.1 {
      console.warn(
        "the loudness is \(rounded(actual, places: 1)) LUFS, not \(rounded(loudness, places: 1))",
        advice: "a higher loudness would push its peaks above -1 dBTP")
    }
    let lost = marks - files.reduce(0) { $0 + $1.marks }
    if lost > 0 {
      let reason = format.holdsMarks ? "cannot store that many" : "cannot store"
      console.note(
        "\(format) files \(reason) marks: \(counted(lost, "mark")) left out",
        advice: "WAV and FLAC files keep all of them")
    }
    let speakers = [.ogg, .opus].contains(format) ? [Speaker].vorbis(stream.channels) : nil
    if speakers?.contains(.lowFrequency) == true {
      console.note(
        "\(format) files keep only the low frequencies of channel 4, the subwoofer channel",
        advice: "WAV and FLAC files keep all of them")
    }
    return files.first?.path == nil ? console.aside(self) : self
  }

  /// Formats one line for each file.
  func text(_ style: Style) -> String {
    files.map { file in
      let name = file.path.map { "Saved \(printable($0))" } ?? "Sent to stdout"
      let length = clock(file.frames.duration(at: stream.rate))
      let marks = file.marks > 0 ? ", \(counted(file.marks, "mark"))" : ""
      let loudness = file.loudness.map { ", \(rounded($0, places: 1)) LUFS" } ?? ""
      return style.heading(name) + "  \(length), \(ByteCount(file.bytes))\(marks)\(loudness)\n"
    }.joined()
  }

  /// The source, the format, and the files.
  var json: JSONObject {
    var json: JSONObject = [
      "source": source.json, "format": format.rawValue.json, "rate": stream.rate.hertz.json,
      "channels": stream.channels.value.json,
    ]
    if !format.isLossy { json["sample"] = stream.sample.rawValue.json }
    json["files"] = .array(files.map(object))
    return json
  }

  private func object(_ file: ExportedFile) -> JSONValue {
    var json = JSONObject()
    json.set("path", file.path)
    json["frames"] = file.frames.value.json
    json["duration"] = file.frames.duration(at: stream.rate).json
    json["bytes"] = file.bytes.json
    json["marks"] = file.marks.json
    json.set("loudness", file.loudness)
    return .object(json)
  }
}
