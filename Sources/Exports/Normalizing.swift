internal import Analysis
internal import Audio
internal import Glibc

/// The requested loudness of an export, and the steps to reach it.
///
/// A limiter reduces the loudness, and an encoder changes the peaks. So each result is measured,
/// and the gain and the ceiling are corrected by the difference.
struct Normalizing {
  /// The highest allowed true peak of the file in decibels. True peaks include peaks between the
  /// samples.
  static let ceiling = -1.0
  /// The accepted difference from the requested loudness, in decibels: about half of the smallest
  /// step that a loudness meter shows.
  static let tolerance = 0.04
  /// The largest number of measurements of the frames before they are written.
  static let mostMeasurements = 7
  /// The largest number of attempts to write a file. Then the best attempt is written again.
  /// Several attempts can be needed, because an encoder produces other peaks in each attempt.
  static let mostAttempts = 12

  /// The requested loudness in LUFS.
  let target: Double
  private(set) var gain: Double
  /// The ceiling of the limiter, in decibels. It is below the ceiling of the file, because other
  /// programs measure peaks at other points between the samples.
  private(set) var limit: Double
  private var isLimited: Bool
  private let most: Double
  /// The highest peak of the unchanged sound, in decibels.
  private let peak: Double
  /// The change of the loudness for each decibel of gain. It is less than 1 if the limiter acts.
  private var slope = 1.0
  private var last: (gain: Double, limit: Double, loudness: Double)?
  private var best: (gain: Double, limit: Double, difference: Double)?

  /// Computes the first step for a measured sound. Throws if the sound is too quiet.
  init(to target: Double, from levels: SoundLevels, isLossy: Bool) throws {
    guard let loudness = levels.loudness?.integrated, loudness.isFinite else {
      throw ExportRefusal.tooQuiet
    }
    self.target = target
    gain = target - loudness
    most = gain + 12
    peak = Decibels(amplitude: levels.truePeak).value
    limit = Self.ceiling - (isLossy ? 0.3 : 0.12)
    isLimited = isLossy || peak + gain > limit
  }

  /// The change of the level for this step.
  var change: LevelChange {
    LevelChange(
      gain: Decibels(gain).amplitude, ceiling: isLimited ? Decibels(limit).amplitude : nil)
  }

  /// Whether the limiter certainly does not act in the first step. If so, the loudness changes by
  /// exactly the gain, and no measurement is needed before the file is written.
  var isForeseen: Bool { last == nil && peak + gain <= limit - Self.reach }

  /// The limiter may reduce peaks that are this many decibels below its ceiling, because it finds
  /// peaks between samples with another filter than the measurement.
  private static let reach = 0.2

  /// Returns whether the measured levels meet the request. If they do not, corrects the gain and
  /// the ceiling for the next step.
  mutating func accepts(_ levels: SoundLevels) -> Bool {
    let loudness = levels.loudness?.integrated ?? target
    let highest = Decibels(amplitude: levels.truePeak).value
    let (difference, excess) = (target - loudness, highest - (Self.ceiling - 0.05))
    if abs(difference) <= Self.tolerance && excess <= 0 { return true }
    if excess <= 0, abs(difference) < best?.difference ?? .infinity {
      best = (gain, limit, abs(difference))
    }
    learn(loudness)
    // If the limiter did not act, the next ceiling is computed from the peak, and not from the old
    // ceiling.
    let reached = min(limit, peak + gain)
    // The gain is limited. For a sound with short peaks, more gain would raise only the background.
    gain = min(gain + difference / slope, most)
    if excess > 0 {
      limit = reached - excess - 0.05
      isLimited = true
    }
    return false
  }

  /// Computes the slope from this step and the previous step, if only the gain has changed between
  /// them.
  private mutating func learn(_ loudness: Double) {
    if let last, last.limit == limit, abs(gain - last.gain) > 0.01 {
      slope = min(1, max(0.3, (loudness - last.loudness) / (gain - last.gain)))
    }
    last = (gain, limit, loudness)
  }

  /// Discards the previous steps. The caller measures first the frames, and later the written file.
  /// Call this function between these measurements, because their levels differ.
  mutating func forget() { (last, best) = (nil, nil) }

  /// Restores the gain and the ceiling of the best step. Among the steps with accepted peaks, this
  /// is the step with the smallest difference from the requested loudness. If there is no such
  /// step, lowers the gain.
  mutating func restoreBest() {
    if let best {
      (gain, limit) = (best.gain, best.limit)
    } else {
      gain -= 1
    }
  }
}
