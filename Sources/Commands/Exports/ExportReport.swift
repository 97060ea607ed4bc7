internal import Audio
internal import Exports
internal import JSON
internal import Linux

/// The report of files that were exported.
struct ExportReport: Report {
  let source: String
  /// The paths of the sounds that follow the source.
  let joined: [String]
  let format: FileFormat
  let stream: StreamFormat
  /// The files made from the source. A file without a path was sent to stdout.
  let files: [ExportedFile]
  /// The result of the search for an echo, or nil if none was requested.
  let echo: RemovedEcho?

  /// Prints notes about a loudness that was not reached, marks that were left out, a channel that
  /// kept only its low frequencies, and problems with the echo. Returns the report. If stdout
  /// carries the audio, returns a report that prints nothing, and with `--json` writes the report
  /// to stderr.
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
        advice: "WAV and FLAC files keep the whole channel")
    }
    if let echo { remark(on: echo, console) }
    return files.first?.path == nil ? console.aside(self) : self
  }

  /// Prints a message if no echo was found, if the echo is still audible, or if the echo may have
  /// hidden speech.
  private func remark(on echo: RemovedEcho, _ console: Console) {
    let track = quoted(echo.track)
    switch echo.state {
    case .silent: console.note("the track \(track) is silent, so nothing was removed")
    case .absent:
      console.note(
        "no echo of \(track) was found, so nothing was removed",
        advice: "with headphones, a microphone records no echo")
    case .unmeasured:
      console.note(
        "the echo of \(track) could not be measured, so nothing was removed",
        advice: "to be measured, it has to be louder than the noise, without speech, for 0.2 s")
    case .removed: break
    }
    if let excess = echo.excess, excess > 0 {
      console.note(
        "the echo of \(track) was \(rounded(excess, places: 1)) dB louder than the speech",
        advice: "speech at the same time as the echo may be missing; next time, use a quieter "
          + "loudspeaker")
    }
    if let reduction = echo.reduction, reduction < Self.audible {
      console.warn(
        "the echo of \(track) became only \(rounded(reduction, places: 1)) dB quieter",
        advice: "an echo with long reverberation or a changing delay cannot be removed")
    }
  }

  /// The reduction below which an echo is still easy to hear, in decibels.
  private static let audible = 10.0

  /// Formats one line for each file, one for joined sounds, and one for an echo that was removed.
  func text(_ style: Style) -> String {
    let lines = files.map { file in
      let name = file.path.map { "Saved \(printable($0))" } ?? "Sent to stdout"
      let length = clock(file.frames.duration(at: stream.rate))
      let marks = file.marks > 0 ? ", \(counted(file.marks, "mark"))" : ""
      let loudness = file.loudness.map { ", \(rounded($0, places: 1)) LUFS" } ?? ""
      return style.heading(name) + "  \(length), \(ByteCount(file.bytes))\(marks)\(loudness)\n"
    }
    return lines.joined() + joinedLine(style) + echoLine(style)
  }

  private func joinedLine(_ style: Style) -> String {
    guard !joined.isEmpty else { return "" }
    let names = ([source] + joined).map(printable)
    return style.heading("Joined") + "  " + names.joined(separator: ", then ") + "\n"
  }

  private func echoLine(_ style: Style) -> String {
    guard let echo, let delay = echo.delay, let overlap = echo.overlap else { return "" }
    let reduction =
      echo.reduction.map { "\(rounded($0, places: 1)) dB quieter" }
      ?? "removed (reduction unknown, because there is too little echo without speech)"
    let time = "delay \(rounded(delay / .milliseconds(1), places: 0)) ms"
    let share = "both sides speak for \(rounded(overlap * 100, places: 0)) % of the time"
    return style.heading("Echo of \(printable(echo.track))") + "  \(reduction), \(time), \(share)\n"
  }

  /// The source, the format, and the files.
  var json: JSONObject {
    var json: JSONObject = [
      "source": source.json, "format": format.rawValue.json, "rate": stream.rate.hertz.json,
      "channels": stream.channels.value.json,
    ]
    if !format.isLossy { json["sample"] = stream.sample.rawValue.json }
    json["files"] = .array(files.map(object))
    if !joined.isEmpty { json["joined"] = joined.json }
    json.set("echo", echo.map(object))
    return json
  }

  private func object(_ echo: RemovedEcho) -> JSONValue {
    var json: JSONObject = ["track": echo.track.json, "state": echo.state.rawValue.json]
    json.set("delay", echo.delay)
    json.set("reduction", echo.reduction)
    json.set("excess", echo.excess)
    json.set("overlap", echo.overlap)
    return .object(json)
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
