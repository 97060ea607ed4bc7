internal import Audio
internal import CommandLine
internal import JSON

/// What a quiet room sounds like, and the thresholds that follow.
struct Calibration: Report, Equatable {
  let device: String
  let length: Duration
  /// How many windows of 10 ms were heard.
  let windows: Int
  /// Half of the windows are below.
  let usual: Decibels
  /// The loudest that lasted as long as a sound has to, to be taken for one.
  let loudest: Decibels

  /// What a window shorter than a sound tells is a click, which nothing begins or ends with.
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

  /// Above the room by as much as noise wavers, and never so low that a converter's noise counts.
  var threshold: Decibels { Decibels(min(-5, max(-64, loudest.value.rounded(.up) + 2))) }

  /// Above the threshold by as much as keeps a voice that falters one take.
  var start: Decibels { Decibels(threshold.value + 4) }

  /// Whether something was heard that is not the room.
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

  /// Thresholds would say nothing of a room that was not heard.
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
