package import Audio
internal import Glibc
internal import RealTime

/// The level of the sound, from window to window, in the loudest channel.
package struct WindowLevels: ~Copyable {
  /// The number of frames in a window.
  package let window: Int
  private let stream: StreamFormat
  private var filters: [HighPass]
  private var energies: [Double]
  private var floats: [Float]
  private var filled = 0

  /// Ten milliseconds, shorter than any sound of speech.
  package static var length: Duration { .milliseconds(10) }

  /// Levels of frames that lie as in `stream`.
  package init(_ stream: StreamFormat) {
    self.stream = stream
    window = max(1, Int(FrameCount(Self.length, at: stream.rate).value))
    let channels = stream.channels.value
    filters = Array(repeating: HighPass(at: stream.rate), count: channels)
    energies = Array(repeating: 0, count: channels)
    floats = Array(repeating: 0, count: window * channels)
  }

  /// Adds frames up to the end of the window; returns their number, and the level once the window
  /// is full.
  package mutating func measure(_ frames: RawSpan) -> (frames: Int, level: Decibels?) {
    let count = min(frames.byteCount / stream.bytesPerFrame, window - filled)
    add(frames.extracting(..<(count * stream.bytesPerFrame)))
    filled += count
    return (count, filled == window ? take() : nil)
  }

  private mutating func add(_ frames: RawSpan) {
    convert(frames)
    let channels = stream.channels.value
    for index in 0..<(frames.byteCount / stream.sample.bytesPerSample) {
      let sample = filters[index % channels].pass(Double(floats[index]))
      energies[index % channels] += sample * sample
    }
  }

  private mutating func convert(_ frames: RawSpan) {
    let conversion = SampleConversion(from: stream.sample, to: .float32)
    var samples = floats.mutableSpan
    conversion.convert(frames, into: &samples)
  }

  private mutating func take() -> Decibels {
    let energy = energies.max() ?? 0
    for channel in energies.indices { energies[channel] = 0 }
    filled = 0
    return Decibels(amplitude: (energy / Double(window)).squareRoot())
  }
}

/// Takes out what is below voices: a device's offset, hum, steps on the floor. 12 dB an octave.
private struct HighPass: Sendable {
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
    // One sample that is no number would else sound for ever.
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
