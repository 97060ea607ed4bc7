internal import Audio
internal import JSON
internal import Takes

/// The report of `meter --calibrate`: the levels of the room and the options that suit it.
struct CalibrationReport: Report {
  let room: Calibration

  private var options: String {
    "--start-on-sound \(typed(room.start)) --stop-on-silence 2s --threshold \(typed(room.threshold))"
  }

  private func typed(_ level: Decibels) -> String { rounded(level.value, places: 0) + "dB" }

  private func shown(_ level: Decibels) -> String {
    level.value.isFinite ? levelText(level) : "digital silence"
  }

  func text(_ style: Style) -> String {
    let heading =
      style.heading("\(printable(room.device)), measured for \(clock(room.length))") + "\n"
    guard !room.isSilent else { return heading + silence }
    var rows = [
      (
        term: "Usual",
        meaning: "\(shown(room.usual)), the median of \(room.windows) windows of 10 ms"
      ),
      (term: "Loudest", meaning: "\(shown(room.loudest)), held for 30 ms"),
      (term: "Begin", meaning: "--start-on-sound \(typed(room.start)), 6 dB above the loudest"),
      (term: "End", meaning: "--threshold \(typed(room.threshold)), 2 dB above the loudest"),
    ]
    if room.isRestless {
      rows.append(
        (
          term: "Problem",
          meaning: "there was more than background noise: be quiet, and measure again"
        ))
    }
    return heading + definitions(rows) + "\nrecorder start \(options)\n"
  }

  /// The advice for a device without any signal. No threshold can be derived from silence.
  private var silence: String {
    definitions([
      (
        term: "Problem",
        meaning: "nothing but digital silence was captured, so no threshold can be suggested"
      ),
      (
        term: "Check",
        meaning: "\"recorder doctor\" shows muted inputs; "
          + "\"recorder devices\" lists the other devices"
      ),
    ])
  }

  /// True, because the last line is a command to copy.
  var keepsLines: Bool { true }

  var json: JSONObject {
    [
      "device": .string(room.device), "duration": .number(room.length / .seconds(1)),
      "windows": room.windows.json, "usual": room.usual.json, "loudest": room.loudest.json,
      // No threshold can be derived from silence.
      "startOnSound": room.isSilent ? .null : room.start.json,
      "threshold": room.isSilent ? .null : room.threshold.json,
      "silent": .bool(room.isSilent), "restless": .bool(room.isRestless),
    ]
  }
}

extension Decibels {
  /// The level in decibels, or null for digital silence.
  var json: JSONValue { value.isFinite ? .number(value) : .null }
}
