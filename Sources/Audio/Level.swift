/// The peak, RMS and clipping of a stretch of sound.
package struct Level: Hashable, BitwiseCopyable, Sendable {
  /// The largest magnitude of a sample, 1 being full scale.
  package var peak: Double
  /// The root of the mean square, 1 being the full-scale square wave.
  package var rms: Double
  /// The number of samples at full scale.
  package var clipped: Int

  /// A level that was measured elsewhere.
  package init(peak: Double, rms: Double, clipped: Int) {
    self.peak = peak
    self.rms = rms
    self.clipped = clipped
  }

  /// Digital silence.
  package static let silence = Level(peak: 0, rms: 0, clipped: 0)
}
