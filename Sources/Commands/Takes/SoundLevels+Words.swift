internal import Analysis
internal import Audio
internal import JSON

extension SoundLevels {
  /// The rows of a report.
  var rows: [Row] {
    let clipped = level.clipped > 0 ? ", \(counted(level.clipped, "sample")) clipped" : ""
    let truePeak = Decibels(amplitude: truePeak).value
    var rows: [Row] = [
      ("Peak", levelText(Decibels(amplitude: level.peak)) + clipped),
      ("True peak", truePeak.isFinite ? rounded(truePeak, places: 1) + " dBTP" : "silence"),
      ("RMS", levelText(Decibels(amplitude: level.rms))),
    ]
    if let loudness {
      let isFinite = loudness.integrated.isFinite
      let text =
        isFinite
        ? rounded(loudness.integrated, places: 1) + " LUFS" : "too quiet or too short to measure"
      let spread = isFinite ? ", range \(rounded(loudness.range, places: 1)) LU" : ""
      rows.append(("Loudness", text + spread))
    }
    rows.append(("DC offset", rounded(offset * 100, places: 3) + " %"))
    rows.append(("Silence", rounded(silence * 100, places: 0) + " % below -60 dBFS"))
    return rows
  }

  /// The object for programs. Levels without a finite value, such as the level of silence, are
  /// null.
  var json: JSONValue {
    var json: JSONObject = [
      "peak": .number(Decibels(amplitude: level.peak).value),
      "rms": .number(Decibels(amplitude: level.rms).value),
      "clipped": level.clipped.json,
      "truePeak": .number(Decibels(amplitude: truePeak).value),
      "dcOffset": .number(offset),
      "silence": .number(silence),
    ]
    json.set("loudness", loudness?.integrated)
    json.set("loudnessRange", loudness?.range)
    return .object(json)
  }
}
