package import Audio
internal import RealTime

/// The level of the sound, from window to window, in the loudest channel.
package struct WindowLevels: ~Copyable {
  /// The number of frames in a window.
  package let window: Int
  private let stream: StreamFormat
  private var filters: [HighPass]
  private var energies: [Double]
  private var floats: [Float]
  private var heard = 0

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
  package mutating func hear(_ frames: RawSpan) -> (frames: Int, level: Decibels?) {
    let count = min(frames.byteCount / stream.bytesPerFrame, window - heard)
    add(frames.extracting(..<(count * stream.bytesPerFrame)))
    heard += count
    return (count, heard == window ? take() : nil)
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
    heard = 0
    return Decibels(amplitude: (energy / Double(window)).squareRoot())
  }
}
