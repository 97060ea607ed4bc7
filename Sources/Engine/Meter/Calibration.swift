internal import Audio
internal import CommandLine
internal import JSON

/// The levels of a quiet room, and the thresholds that follow.
struct Calibration: Report, Equatable {
  let device: String
  let length: Duration
  /// The number of windows of 10 ms that were captured.
  let windows: Int
  /// The median level of the windows.
  let usual: Decibels
  /// The highest level that lasted for as many windows as a sound must, to start a recording.
  let loudest: Decibels

  /// The windows of the shortest sound: a shorter one is a click, which neither starts nor stops a
  /// recording.
  private static let shortestSound = 3

  init(of device: String, hearing levels: [Decibels], for length: Duration) {
    self.device = device
    self.length = length
    windows = levels.count
    usual = levels.isEmpty ? .silence : levels.sorted()[levels.count / 2]
    let runs = levels.indices.dropLast(min(levels.count, Self.shortestSound - 1))
    loudest =
      runs.compactMap { levels[$0..<($0 + Self.shortestSound)].min() }.max() ?? .silence
  }

  /// The threshold: above the room by the variation of noise, and never below a converter's own
  /// noise.
  var threshold: Decibels { Decibels(min(-5, max(-64, loudest.value.rounded(.up) + 2))) }

  /// The threshold to start: far enough above the other one that a faltering voice stays one take.
  var start: Decibels { Decibels(threshold.value + 4) }

  /// True if a sound was captured that is not the room's noise.
  var isRestless: Bool { loudest.value - usual.value > 15 && usual.value.isFinite }

  var isSilent: Bool { loudest == .silence }
}

extension Calibration {
  private var options: String {
    "--start-on-sound \(typed(start)) --stop-on-silence 2s --threshold \(typed(threshold))"
  }

  private func typed(_ level: Decibels) -> String { rounded(level.value, places: 0) + "dB" }

  private func shown(_ level: Decibels) -> String {
    level.value.isFinite ? rounded(level.value, places: 1) + " dBFS" : "digital silence"
  }

  func text(_ style: Style) -> String {
    let heading = style.heading("\(printable(device)), heard for \(clock(length))") + "\n"
    guard !isSilent else { return heading + silence }
    var rows = [
      (term: "Usual", meaning: "\(shown(usual)), the median of \(windows) windows of 10 ms"),
      (term: "Loudest", meaning: "\(shown(loudest)), held for 30 ms"),
      (term: "Begin", meaning: "--start-on-sound \(typed(start)), 6 dB above the loudest"),
      (term: "End", meaning: "--threshold \(typed(threshold)), 2 dB above the loudest"),
    ]
    if isRestless {
      rows.append(
        (term: "Problem", meaning: "there was more than the room: be quiet, and measure again"))
    }
    return heading + definitions(rows) + "\nrecorder start \(options)\n"
  }

  /// The advice for a device without any signal, from which no threshold can be derived.
  private var silence: String {
    definitions([
      (
        term: "Problem",
        meaning: "nothing but digital silence was captured, so no threshold can be suggested"
      ),
      (
        term: "Check",
        meaning: "\"recorder doctor\" shows what is muted; "
          + "\"recorder devices\" lists the other devices"
      ),
    ])
  }

  var json: JSONObject {
    [
      "device": .string(device), "duration": .number(length / .seconds(1)),
      "windows": windows.json, "usual": usual.json, "loudest": loudest.json,
      "startOnSound": start.json, "threshold": threshold.json, "silent": .bool(isSilent),
      "restless": .bool(isRestless),
    ]
  }
}
