internal import Glibc

/// The peak, RMS and clipping of a range of samples.
package struct Level: Hashable, BitwiseCopyable, Sendable {
  /// The largest magnitude of a sample. 1 is full scale.
  package var peak: Double
  /// The root mean square. 1 is a full-scale square wave.
  package var rms: Double
  /// The number of samples whose magnitude is at least `ceiling`, including NaN.
  package var clipped: Int

  /// A level with measured values.
  package init(peak: Double, rms: Double, clipped: Int) {
    self.peak = peak
    self.rms = rms
    self.clipped = clipped
  }

  /// Digital silence.
  package static let silence = Level(peak: 0, rms: 0, clipped: 0)

  /// Returns the lowest magnitude of a clipped sample. For floats, it is full scale. For integers,
  /// it is the largest positive code, minus half of the last bit of a `Float`.
  ///
  /// 32-bit samples are treated as 24-bit samples, because a converter has at most 24 bits. Because
  /// of the subtraction, a 32-bit sample and the same sample rounded to a `Float` are either both
  /// clipped or both not clipped.
  ///
  /// - Parameter bits: the bits of an integer sample, or nil for floats.
  package static func ceiling(bits: Int?) -> Double {
    guard let bits else { return 1 }
    return 1 - 1 / Double(1 << (min(max(bits, 2), 24) - 1)) - 0x1p-25
  }
}

extension [Level] {
  /// The level of several channels together.
  package var merged: Level {
    let squares = reduce(0) { $0 + $1.rms * $1.rms }
    return Level(
      peak: reduce(0) { Swift.max($0, $1.peak) },
      rms: isEmpty ? 0 : (squares / Double(count)).squareRoot(),
      clipped: reduce(0) { $0 + $1.clipped })
  }
}

/// A level relative to full scale (dBFS). Silence is minus infinity.
package struct Decibels: Hashable, Comparable, BitwiseCopyable, Sendable {
  /// The level in dBFS.
  package let value: Double

  /// A level of `value` dBFS.
  package init(_ value: Double) { self.value = value }

  /// The level of digital silence.
  package static let silence = Decibels(-.infinity)
  /// The level of a full-scale sample. Only a floating-point sample can exceed it.
  package static let fullScale = Decibels(0)

  /// The quieter level comes first.
  package static func < (left: Decibels, right: Decibels) -> Bool { left.value < right.value }
}

extension Decibels {
  /// The level of a magnitude. 1 is full scale, and 0 is silence.
  package init(amplitude: Double) {
    self.init(20 * log10(abs(amplitude)))
  }

  /// The magnitude of this level. 1 is full scale, and silence is 0.
  package var amplitude: Double { pow(10, value / 20) }
}

/// The loudness of a whole sound according to EBU R 128.
package struct MeasuredLoudness: Hashable, Sendable {
  /// The integrated loudness in LUFS, or minus infinity if the whole sound is too quiet to measure.
  package var integrated: Double
  /// The loudness range in LU.
  package var range: Double

  /// A loudness in LUFS and a range in LU.
  package init(integrated: Double, range: Double) {
    self.integrated = integrated
    self.range = range
  }
}
