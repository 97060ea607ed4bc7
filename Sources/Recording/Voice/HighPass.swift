internal import Audio
internal import Glibc

/// Takes out what is below voices: a device's offset, hum, steps on the floor. 12 dB an octave.
struct HighPass: Sendable {
  private let (feedforward, middle): (Double, Double)
  private let (first, second): (Double, Double)
  private var (input, inputBefore) = (0.0, 0.0)
  private var (output, outputBefore) = (0.0, 0.0)

  /// Voices begin above it, mains hum lies below.
  private static var corner: Double { 90 }

  init(at rate: SampleRate) {
    let angle = 2 * Double.pi * min(Self.corner / Double(rate.hertz), 0.4)
    // With this damping the band above is as flat as it can be.
    let width = sin(angle) / (2 * 0.5.squareRoot())
    let whole = 1 + width
    feedforward = (1 + cos(angle)) / 2 / whole
    middle = -2 * feedforward
    first = -2 * cos(angle) / whole
    second = (1 - width) / whole
  }

  mutating func pass(_ sample: Double) -> Double {
    // One sample that is no number would else be heard for ever.
    let sample = sample.isFinite ? sample : 0
    let next =
      feedforward * (sample + inputBefore) + middle * input - first * output
      - second * outputBefore
    (inputBefore, input) = (input, sample)
    // Values that ring on below any hearing are costly for the processor.
    (outputBefore, output) = (output, abs(next) < 1e-9 ? 0 : next)
    return output
  }
}
