internal import Audio
internal import CommandLine
internal import JSON

/// One reading of a meter.
struct LevelReading: Report {
  /// The time since the beginning.
  let elapsed: Duration
  /// The highest level since the last reading.
  let level: Level
  let channels: [Level]
  /// The highest level so far.
  let highestPeak: Double
  let lost: Int64

  func text(_ style: Style) -> String {
    let clipped = level.clipped > 0 ? style.bad("  CLIP") : ""
    let gaps = lost > 0 ? "  \(lost) frames lost" : ""
    return "\(clock(elapsed))  peak \(shown(level.peak)), mean \(shown(level.rms)), "
      + "highest \(shown(highestPeak))\(clipped)\(gaps)\n"
  }

  private func shown(_ amplitude: Double) -> String {
    let level = Decibels(amplitude: amplitude)
    return level.value.isFinite ? rounded(level.value, places: 1) + " dBFS" : "silence"
  }

  var json: JSONObject {
    [
      "elapsed": .number(elapsed / .seconds(1)), "peak": decibels(level.peak),
      "rms": decibels(level.rms), "clipped": level.clipped.json,
      "highestPeak": decibels(highestPeak),
      "channels": .array(
        channels.map { ["peak": decibels($0.peak), "rms": decibels($0.rms)] }),
      "lost": lost.json,
    ]
  }

  private func decibels(_ amplitude: Double) -> JSONValue {
    Decibels(amplitude: amplitude).rounded.json
  }
}

extension Decibels {
  /// Rounds to a hundredth of a decibel, which is finer than anybody hears.
  fileprivate var rounded: Decibels { Decibels((value * 100).rounded() / 100) }

  /// Null for digital silence.
  var json: JSONValue { value.isFinite ? .number(value) : .null }
}
