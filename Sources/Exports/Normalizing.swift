internal import Analysis
internal import Audio
internal import Glibc

/// The loudness that an export is to have, and the steps to it.
///
/// A limiter takes loudness away, and an encoder changes peaks. So what comes out is measured, and the
/// gain and the ceiling are moved by the difference.
struct Normalizing {
  /// The highest peak between samples of the file, in decibels.
  static let ceiling = -1.0
  /// The difference that is let pass: half of that which a listener's meter shows.
  static let tolerance = 0.04
  /// The times that frames are measured before they are written.
  static let mostMeasurements = 7
  /// The times that a file is written to find a level: each makes an encoder's peaks others.
  static let mostAttempts = 12

  /// The loudness, in LUFS.
  let target: Double
  private(set) var gain: Double
  /// The ceiling of the limiter, in decibels: below that of the file, since other programs measure
  /// between other points.
  private(set) var limit: Double
  private var isLimited: Bool
  private let most: Double
  /// The highest peak of the sound itself, in decibels.
  private let peak: Double
  /// The loudness that a decibel of gain brings, which is less than one where the limiter works.
  private var slope = 1.0
  private var last: (gain: Double, limit: Double, loudness: Double)?
  private var best: (gain: Double, limit: Double, difference: Double)?

  /// The first step, for a sound that was measured.
  init(to target: Double, from levels: SoundLevels, isLossy: Bool) throws(ExportError) {
    guard let loudness = levels.loudness?.integrated, loudness.isFinite else {
      throw .refused(.tooQuiet)
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

  /// True for a gain that the limiter has no part in: the loudness moves by as much, and needs no
  /// measurement before there is a file.
  var isForeseen: Bool { last == nil && peak + gain <= limit - Self.reach }

  /// The decibels below its ceiling from which a limiter may act: it sees peaks between samples by
  /// another filter.
  private static let reach = 0.2

  /// Moves on by what came out; returns true where it is what was wanted.
  mutating func accepts(_ levels: SoundLevels) -> Bool {
    let loudness = levels.loudness?.integrated ?? target
    let highest = Decibels(amplitude: levels.truePeak).value
    let (difference, excess) = (target - loudness, highest - (Self.ceiling - 0.05))
    if abs(difference) <= Self.tolerance && excess <= 0 { return true }
    if excess <= 0, abs(difference) < best?.difference ?? .infinity {
      best = (gain, limit, abs(difference))
    }
    learn(loudness)
    // A limiter that had nothing to do is not lowered from its ceiling, but from the peak.
    let reached = min(limit, peak + gain)
    // More makes a sound of short peaks no louder, and its background only.
    gain = min(gain + difference / slope, most)
    if excess > 0 {
      limit = reached - excess - 0.05
      isLimited = true
    }
    return false
  }

  /// Compares with the step before, where only the gain was another.
  private mutating func learn(_ loudness: Double) {
    if let last, last.limit == limit, abs(gain - last.gain) > 0.01 {
      slope = min(1, max(0.3, (loudness - last.loudness) / (gain - last.gain)))
    }
    last = (gain, limit, loudness)
  }

  /// Begins to measure something else, such as the file instead of its frames.
  mutating func forget() { (last, best) = (nil, nil) }

  /// Goes back to the step that came nearest with low peaks; without one, becomes quieter.
  mutating func settle() {
    if let best {
      (gain, limit) = (best.gain, best.limit)
    } else {
      gain -= 1
    }
  }
}
