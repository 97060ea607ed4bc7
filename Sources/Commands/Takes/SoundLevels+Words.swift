package import Audio
package import JSON

/// The measured levels of a sound, for people and for programs.
package struct LevelFacts: Hashable, Sendable {
  private let level: Level
  private let truePeak: Double
  private let integrated: Double?
  private let range: Double?
  private let offset: Double
  private let silence: Double

  /// Creates the facts of a measurement. Amplitudes and shares are relative to 1. The loudness is
  /// nil if it was not measured.
  package init(
    _ level: Level, truePeak: Double, loudness: MeasuredLoudness?,
    offset: Double, silence: Double
  ) {
    self.level = level
    self.truePeak = truePeak
    integrated = loudness?.integrated
    range = loudness?.range
    self.offset = offset
    self.silence = silence
  }

  /// The rows of a report.
  package var rows: [(term: String, meaning: String)] {
    let clipped = level.clipped > 0 ? ", \(counted(level.clipped, "sample")) clipped" : ""
    let truePeak = Decibels(amplitude: truePeak).value
    var rows = [
      (term: "Peak", meaning: levelText(Decibels(amplitude: level.peak)) + clipped),
      ("True peak", truePeak.isFinite ? rounded(truePeak, places: 1) + " dBTP" : "silence"),
      ("RMS", levelText(Decibels(amplitude: level.rms))),
    ]
    if let integrated, let range {
      let loudness =
        integrated.isFinite
        ? rounded(integrated, places: 1) + " LUFS" : "too quiet or too short to measure"
      let spread = integrated.isFinite ? ", range \(rounded(range, places: 1)) LU" : ""
      rows.append(("Loudness", loudness + spread))
    }
    rows.append(("DC offset", rounded(offset * 100, places: 3) + " %"))
    rows.append(("Silence", rounded(silence * 100, places: 0) + " % below -60 dBFS"))
    return rows
  }

  /// The object for programs. Levels without a finite value, such as those of silence, are null.
  package var json: JSONValue {
    var json: JSONObject = [
      "peak": .number(Decibels(amplitude: level.peak).value),
      "rms": .number(Decibels(amplitude: level.rms).value),
      "clipped": level.clipped.json,
      "truePeak": .number(Decibels(amplitude: truePeak).value),
      "dcOffset": .number(offset),
      "silence": .number(silence),
    ]
    if let integrated, let range {
      json["loudness"] = .number(integrated)
      json["loudnessRange"] = .number(range)
    }
    return .object(json)
  }
}

/// One reading of a meter.
package struct LevelReading: Report {
  private let elapsed: Duration
  private let level: Level
  private let channels: [Level]
  private let highestPeak: Double
  private let lost: FrameCount

  /// Creates a reading.
  ///
  /// - Parameters:
  ///   - elapsed: the time since the beginning.
  ///   - level: the level of all channels since the last reading.
  ///   - channels: the level of each channel since the last reading.
  ///   - highestPeak: the highest peak so far.
  ///   - lost: the frames lost so far.
  package init(
    after elapsed: Duration, _ level: Level, _ channels: [Level], highestPeak: Double,
    lost: FrameCount
  ) {
    self.elapsed = elapsed
    self.level = level
    self.channels = channels
    self.highestPeak = highestPeak
    self.lost = lost
  }

  /// Formats the reading as one line.
  package func text(_ style: Style) -> String {
    let clipped = level.clipped > 0 ? style.bad("  CLIP") : ""
    let gaps = lost > 0 ? "  \(lost.value) frames lost" : ""
    return "\(clock(elapsed))  peak \(shown(level.peak)), mean \(shown(level.rms)), "
      + "highest \(shown(highestPeak))\(clipped)\(gaps)\n"
  }

  private func shown(_ amplitude: Double) -> String {
    levelText(Decibels(amplitude: amplitude))
  }

  /// The reading as an object, with null for digital silence.
  package var json: JSONObject {
    [
      "elapsed": .number(elapsed / .seconds(1)), "peak": decibels(level.peak),
      "rms": decibels(level.rms), "clipped": level.clipped.json,
      "highestPeak": decibels(highestPeak),
      "channels": .array(
        channels.map { ["peak": decibels($0.peak), "rms": decibels($0.rms)] }),
      "lost": lost.value.json,
    ]
  }

  /// Returns a level rounded to a hundredth of a decibel, a difference that is not audible.
  private func decibels(_ amplitude: Double) -> JSONValue {
    let value = (Decibels(amplitude: amplitude).value * 100).rounded() / 100
    return value.isFinite ? .number(value) : .null
  }
}
