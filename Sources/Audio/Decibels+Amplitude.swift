internal import Glibc

extension Decibels {
  /// The level of a magnitude, 1 being full scale; 0 is silence.
  package init(amplitude: Double) {
    self.init(20 * log10(abs(amplitude)))
  }

  /// The magnitude of this level, 1 being full scale; silence is 0.
  package var amplitude: Double { pow(10, value / 20) }
}
