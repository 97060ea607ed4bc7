internal import Audio
internal import JSON
internal import Takes

/// The report of `meter --calibrate`: the levels of the room and the options that suit it.
struct CalibrationReport: Report {
  let room: Calibration
  /// The device that the user has named, or nil for the default device.
  var device: String? = nil

  /// The command that records with these thresholds.
  private var command: String {
    let source = device.map { " -d \(shellArgument($0))" } ?? ""
    return "recorder start\(source) --start-on-sound \(typed(room.start)) --stop-on-silence 2s "
      + "--threshold \(typed(room.threshold))"
  }

  private func typed(_ level: Decibels) -> String { rounded(level.value, places: 0) + "dB" }

  private func shown(_ level: Decibels) -> String {
    level.value.isFinite ? levelText(level) : "digital silence"
  }

  func text(_ style: Style) -> String {
    let heading =
      style.heading("\(printable(room.device)), measured for \(clock(room.length))") + "\n"
    guard !room.isSilent else { return heading + silence }
    var rows: [Row] = [
      ("Usual", "\(shown(room.usual)), the median of \(counted(room.windows, "window")) of 10 ms"),
      ("Loudest", "\(shown(room.loudest)), held for 30 ms"),
      ("Begin", "--start-on-sound \(typed(room.start)), 6 dB above the loudest"),
      ("End", "--threshold \(typed(room.threshold)), 2 dB above the loudest"),
    ]
    if room.isRestless {
      rows.append(("Problem", "there was more than background noise: be quiet, and measure again"))
    }
    return heading + definitions(rows) + "\n\(command)\n"
  }

  /// The advice for a device without any signal. No threshold can be derived from silence.
  private var silence: String {
    definitions([
      ("Problem", "nothing but digital silence was captured, so no threshold can be suggested"),
      (
        "Check",
        "\"recorder doctor\" shows muted inputs; \"recorder devices\" lists the other devices"
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

/// One reading of a meter.
struct LevelReading: Report {
  /// The time since the beginning.
  let elapsed: Duration
  /// The level of all channels since the last reading.
  let level: Level
  /// The level of each channel since the last reading.
  let channels: [Level]
  /// The highest peak so far.
  let highestPeak: Double
  /// The frames lost so far.
  let lost: FrameCount

  /// Returns whether the reading differs enough from the last shown reading: by a tenth of a second
  /// of sound, a higher peak or lost frames.
  func isNew(after last: LevelReading?) -> Bool {
    guard let last else { return true }
    return elapsed - last.elapsed >= .milliseconds(100) || highestPeak > last.highestPeak
      || lost > last.lost
  }

  /// Formats the reading as one line.
  func text(_ style: Style) -> String {
    let clipped = level.clipped > 0 ? style.bad("  CLIP") : ""
    let gaps = lost > 0 ? "  \(counted(Int(lost.value), "frame")) lost" : ""
    return "\(clock(elapsed))  peak \(shown(level.peak)), mean \(shown(level.rms)), "
      + "highest \(shown(highestPeak))\(clipped)\(gaps)\n"
  }

  private func shown(_ amplitude: Double) -> String {
    levelText(Decibels(amplitude: amplitude))
  }

  /// The reading as an object, with null for digital silence.
  var json: JSONObject {
    [
      "elapsed": .number(elapsed / .seconds(1)), "peak": decibels(level.peak),
      "rms": decibels(level.rms), "clipped": level.clipped.json,
      "highestPeak": decibels(highestPeak),
      "channels": .array(
        channels.map { ["peak": decibels($0.peak), "rms": decibels($0.rms)] }),
      "lost": lost.value.json,
    ]
  }

  /// Returns a level in decibels, rounded to two decimals.
  private func decibels(_ amplitude: Double) -> JSONValue {
    let value = (Decibels(amplitude: amplitude).value * 100).rounded() / 100
    return value.isFinite ? .number(value) : .null
  }
}

extension Decibels {
  /// The level in decibels, or null for digital silence.
  var json: JSONValue { value.isFinite ? .number(value) : .null }
}
