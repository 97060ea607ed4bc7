internal import Audio
internal import RealTime

/// Decides by what is heard where a take begins and ends.
///
/// Until it begins, what was heard last stays in the ring, so that the beginning can lie in the past.
struct TakeGate: ~Copyable {
  /// Whether nothing is kept yet.
  private(set) var isArmed: Bool
  private let preRoll: Int
  private let bytesPerFrame: Int
  private var levels: WindowLevels
  private var beginning: SoundStart?
  private var ending: SilenceEnd?
  /// Frames of the ring that were listened to before the beginning.
  private(set) var heard = 0
  /// Whether nobody wants what comes, because it is paused.
  var isDeaf = false
  private var loudest = Decibels.silence

  init(_ settings: VoiceSettings, of stream: StreamFormat) {
    isArmed = settings.waits
    preRoll = Int(FrameCount(settings.preRoll, at: stream.rate).value)
    bytesPerFrame = stream.bytesPerFrame
    levels = WindowLevels(stream)
    beginning = settings.start.map { SoundStart(at: $0) }
    ending = settings.silence.map { SilenceEnd(below: settings.threshold, for: $0) }
  }

  /// How many frames may have to be kept though they were heard before the beginning.
  private var reach: Int { preRoll + SoundStart.windows * levels.window }

  /// Where the writer may go to, so that no frame is passed which the beginning may still claim.
  func boundary(_ available: Int, after position: Int) -> Int {
    isArmed ? max(position, heard - reach) : available
  }

  /// Listens to frames that wait in the ring; returns where the take begins, if a sound has begun.
  mutating func listen(
    to frames: inout SampleRing.Reader, from position: Int, upTo available: Int
  ) -> Int? {
    heard = max(heard, isDeaf ? available : position)
    while heard < available {
      let step = levels.hear(frames.frames(after: heard - position, upTo: available - heard))
      heard += step.frames
      guard let level = step.level else { continue }
      loudest = max(loudest, level)
      if beginning?.hear(level) == true {
        beginning = nil
        return max(position, heard - reach)
      }
    }
    return nil
  }

  /// How loud it was at most since the last time, where nothing is kept yet.
  mutating func takeLevel() -> Level? {
    guard isArmed else { return nil }
    let amplitude = loudest.amplitude
    loudest = .silence
    return Level(peak: amplitude, rms: amplitude, clipped: 0)
  }

  /// The take begins.
  mutating func open() {
    isArmed = false
    beginning = nil
  }

  /// How many of these frames are kept, and whether the take ends after them.
  mutating func keep(_ frames: RawSpan) -> (frames: Int, bytes: Int, isLast: Bool) {
    let count = frames.byteCount / bytesPerFrame
    var kept = ending == nil ? count : 0
    while kept < count {
      let step = levels.hear(frames.extracting((kept * bytesPerFrame)...))
      kept += step.frames
      if let level = step.level, ending?.hear(level) == true {
        return (kept, kept * bytesPerFrame, true)
      }
    }
    return (count, count * bytesPerFrame, false)
  }
}
