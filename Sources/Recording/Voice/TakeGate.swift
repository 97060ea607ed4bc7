package import Audio
internal import Glibc
internal import RealTime

/// The voice activation of a take. It uses the level of the sound to find the frames at which the
/// take starts and ends.
///
/// Until the take starts, the latest frames stay in the ring, so that the take can begin with
/// frames from before the detection.
struct TakeGate: ~Copyable {
  /// Whether the take waits for its start. Before the start, no frames are kept.
  private(set) var isArmed: Bool
  private let preRoll: Int
  private let bytesPerFrame: Int
  private var levels: WindowLevels
  private var beginning: SoundStart?
  private var ending: SilenceEnd?
  /// The position up to which an armed gate has measured frames, or skipped them in a pause.
  private(set) var measured = 0
  /// Whether frames are not measured because the take is paused.
  var isPaused = false
  /// The highest mean level of a window since the last call of `takeLevel`, or nil if no window was
  /// completed since then.
  private var loudest: Decibels?
  private var highestPeak = 0.0
  private var level = Level.silence

  init(_ settings: VoiceSettings, of stream: StreamFormat) {
    isArmed = settings.waits
    preRoll = Int(FrameCount(settings.preRoll, at: stream.rate).value)
    bytesPerFrame = stream.bytesPerFrame
    levels = WindowLevels(stream)
    beginning = settings.start.map { SoundStart(at: $0) }
    ending = settings.silence.map { SilenceEnd(below: settings.threshold, for: $0) }
  }

  /// The largest number of frames from the beginning of the take to the detection of a sound.
  private var reach: Int { preRoll + SoundStart.windows * levels.window }

  /// Returns the position up to which the writer may take frames out of the ring. Before the start,
  /// the frames after this position may still belong to the take.
  func boundary(_ available: Int, after position: Int) -> Int {
    isArmed ? max(position, measured - reach) : available
  }

  /// Measures frames that wait in the ring. Returns the first frame of the take, or nil if no sound
  /// has begun.
  mutating func measure(
    _ frames: inout SampleRing.Reader, from position: Int, upTo available: Int
  ) -> Int? {
    measured = max(measured, isPaused ? available : position)
    while measured < available {
      let step = levels.measure(
        frames.frames(after: measured - position, upTo: available - measured))
      measured += step.frames
      guard let level = step.level else { continue }
      loudest = max(loudest ?? .silence, level)
      highestPeak = max(highestPeak, levels.peak)
      if beginning?.add(level) == true {
        beginning = nil
        return max(position, measured - reach)
      }
    }
    return nil
  }

  /// Returns the highest peak and the highest mean level of a window since the last call, or nil
  /// after the start. If no window was completed since the last call, returns the same level again,
  /// because the writer may wake without new frames.
  mutating func takeLevel() -> Level? {
    guard isArmed else { return nil }
    if let loudest {
      level = Level(peak: highestPeak, rms: loudest.amplitude, clipped: 0)
      (self.loudest, highestPeak) = (nil, 0)
    }
    return isPaused ? .silence : level
  }

  /// Starts the take.
  mutating func open() {
    isArmed = false
    beginning = nil
  }

  /// Returns the number of these frames to keep, their size in bytes, and whether the take ends
  /// after them.
  mutating func keep(_ frames: RawSpan) -> (frames: Int, bytes: Int, isLast: Bool) {
    let count = frames.byteCount / bytesPerFrame
    var kept = ending == nil ? count : 0
    while kept < count {
      let step = levels.measure(frames.extracting((kept * bytesPerFrame)...))
      kept += step.frames
      if let level = step.level, ending?.add(level) == true {
        return (kept, kept * bytesPerFrame, true)
      }
    }
    return (count, count * bytesPerFrame, false)
  }
}

/// Detects the start of a sound that is longer than a click.
package struct SoundStart: Hashable, Sendable {
  private let threshold: Decibels
  private var loud = 0

  /// The number of windows that a sound must last. This time is shorter than the shortest word and
  /// longer than a click.
  package static var windows: Int { 4 }

  /// A detector for a sound with a level of at least `threshold`.
  package init(at threshold: Decibels) { self.threshold = threshold }

  /// Adds the level of a window. Returns true if a sound began `windows` windows ago.
  package mutating func add(_ level: Decibels) -> Bool {
    loud = level >= threshold ? loud + 1 : 0
    return loud >= Self.windows
  }
}

/// Detects a silence of a given length. A click does not end the silence.
package struct SilenceEnd: Hashable, Sendable {
  private let threshold: Decibels
  private let needed: Int
  private var quiet = 0
  private var loud = 0

  /// The number of loud windows that end a silence. A click takes at most two windows.
  private static var shortestSound: Int { 3 }

  /// A detector for a silence of `length` below `threshold`.
  package init(below threshold: Decibels, for length: Duration) {
    self.threshold = threshold
    needed = max(1, Int(length / WindowLevels.length))
  }

  /// Adds the level of a window. Returns true if the silence has reached the given length.
  package mutating func add(_ level: Decibels) -> Bool {
    loud = level < threshold ? 0 : loud + 1
    quiet = loud < Self.shortestSound ? quiet + 1 : 0
    return quiet >= needed
  }
}

/// The level of the sound in the loudest channel, window by window.
package struct WindowLevels: ~Copyable {
  /// The number of frames in a window.
  package let window: Int
  private let stream: StreamFormat
  private var filters: [HighPass]
  private var energies: [Double]
  private var floats: [Float]
  private var filled = 0
  private var highest = 0.0
  /// The peak of all channels in the last full window. Like the peak of a recording, it is not
  /// filtered.
  package private(set) var peak = 0.0

  /// The length of a window. Ten milliseconds is shorter than any sound of speech.
  package static var length: Duration { .milliseconds(10) }

  /// Levels of frames in the format `stream`.
  package init(_ stream: StreamFormat) {
    self.stream = stream
    window = max(1, Int(FrameCount(Self.length, at: stream.rate).value))
    let channels = stream.channels.value
    filters = Array(repeating: HighPass(at: stream.rate), count: channels)
    energies = Array(repeating: 0, count: channels)
    floats = Array(repeating: 0, count: window * channels)
  }

  /// Adds frames up to the end of the window. Returns their number, and the level if the window is
  /// full.
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
      highest = max(highest, abs(Double(floats[index])))
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
    (peak, highest) = (highest, 0)
    return Decibels(amplitude: (energy / Double(window)).squareRoot())
  }
}

/// A filter that removes frequencies below the human voice: the offset of a device, hum, and
/// footsteps. Its slope is 12 dB per octave.
private struct HighPass: Sendable {
  private let (feedforward, middle): (Double, Double)
  private let (first, second): (Double, Double)
  private var (input, inputBefore) = (0.0, 0.0)
  private var (output, outputBefore) = (0.0, 0.0)

  /// The corner frequency in hertz. The frequencies of voices are above it, and mains hum is below
  /// it.
  private static var corner: Double { 90 }

  init(at rate: SampleRate) {
    let angle = 2 * Double.pi * min(Self.corner / Double(rate.hertz), 0.4)
    // With this damping, the band above the corner is as flat as possible.
    let width = sin(angle) / (2 * 0.5.squareRoot())
    let whole = 1 + width
    feedforward = (1 + cos(angle)) / 2 / whole
    middle = -2 * feedforward
    first = -2 * cos(angle) / whole
    second = (1 - width) / whole
  }

  mutating func pass(_ sample: Double) -> Double {
    // An invalid sample is replaced, because it would stay in the filter forever.
    let sample = sample.isFinite ? sample : 0
    let next =
      feedforward * (sample + inputBefore) + middle * input - first * output
      - second * outputBefore
    (inputBefore, input) = (input, sample)
    // Very small values that remain in the filter are inaudible but slow for the processor.
    (outputBefore, output) = (output, abs(next) < 1e-9 ? 0 : next)
    return output
  }
}
