package import Audio
internal import RealTime

/// Decides by the level of the sound at which frames a take starts and stops.
///
/// Until it starts, the latest frames stay in the ring, so that the start can lie in the past.
struct TakeGate: ~Copyable {
  /// True while nothing is kept yet.
  private(set) var isArmed: Bool
  private let preRoll: Int
  private let bytesPerFrame: Int
  private var levels: WindowLevels
  private var beginning: SoundStart?
  private var ending: SilenceEnd?
  /// Frames of the ring that were measured before the start.
  private(set) var measured = 0
  /// True while frames are not measured, because the take is paused.
  var isPaused = false
  private var loudest = Decibels.silence

  init(_ settings: VoiceSettings, of stream: StreamFormat) {
    isArmed = settings.waits
    preRoll = Int(FrameCount(settings.preRoll, at: stream.rate).value)
    bytesPerFrame = stream.bytesPerFrame
    levels = WindowLevels(stream)
    beginning = settings.start.map { SoundStart(at: $0) }
    ending = settings.silence.map { SilenceEnd(below: settings.threshold, for: $0) }
  }

  /// The number of frames before the present that the start may reach back to.
  private var reach: Int { preRoll + SoundStart.windows * levels.window }

  /// Returns the limit for the writer, so that it passes no frame that the start may still claim.
  func boundary(_ available: Int, after position: Int) -> Int {
    isArmed ? max(position, measured - reach) : available
  }

  /// Measures frames that wait in the ring; returns the first frame of the take, if a sound has
  /// begun.
  mutating func measure(
    _ frames: inout SampleRing.Reader, from position: Int, upTo available: Int
  ) -> Int? {
    measured = max(measured, isPaused ? available : position)
    while measured < available {
      let step = levels.measure(
        frames.frames(after: measured - position, upTo: available - measured))
      measured += step.frames
      guard let level = step.level else { continue }
      loudest = max(loudest, level)
      if beginning?.add(level) == true {
        beginning = nil
        return max(position, measured - reach)
      }
    }
    return nil
  }

  /// Returns the highest level since the last call; nil once frames are kept.
  mutating func takeLevel() -> Level? {
    guard isArmed else { return nil }
    let amplitude = loudest.amplitude
    loudest = .silence
    return Level(peak: amplitude, rms: amplitude, clipped: 0)
  }

  /// Starts the take.
  mutating func open() {
    isArmed = false
    beginning = nil
  }

  /// Returns the number of these frames that are kept, and true if the take ends after them.
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

  /// Shorter than the shortest word, longer than a click.
  package static var windows: Int { 4 }

  /// Waits for a sound as loud as `threshold`.
  package init(at threshold: Decibels) { self.threshold = threshold }

  /// Adds a window; returns true if a sound began `windows` windows ago.
  package mutating func add(_ level: Decibels) -> Bool {
    loud = level >= threshold ? loud + 1 : 0
    return loud >= Self.windows
  }
}

/// Tells when it has been silent for long enough; a click is no end of silence.
package struct SilenceEnd: Hashable, Sendable {
  private let threshold: Decibels
  private let needed: Int
  private var quiet = 0
  private var loud = 0

  /// A click lies in two windows, where it begins in the first.
  private static var shortestSound: Int { 3 }

  /// Waits for a silence below `threshold` of `length`.
  package init(below threshold: Decibels, for length: Duration) {
    self.threshold = threshold
    needed = max(1, Int(length / WindowLevels.length))
  }

  /// Adds a window; returns true once the silence is as long as asked.
  package mutating func add(_ level: Decibels) -> Bool {
    loud = level < threshold ? 0 : loud + 1
    quiet = loud < Self.shortestSound ? quiet + 1 : 0
    return quiet >= needed
  }
}
