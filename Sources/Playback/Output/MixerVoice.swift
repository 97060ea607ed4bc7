package import Audio
internal import RealTime

/// A slot for one voice in the mix, on the side of the thread that renders.
final class MixerVoice {
  private var voice: Voice
  private var sound: SoundFrames?
  private var sequence = 0
  private var published = VoiceState.stopped
  private var publishedRest = true
  private var publishedStart: Int64?
  private var peak: Float = 0
  private var started: Int64?
  /// The frames of the output up to the end of the last period to which the voice added something.
  private(set) var lastFrame: Int64 = 0
  private var reports: LatestValue<VoiceReport>.Writer
  private let format: StreamFormat
  private let fade: FrameCount

  init(_ reports: consuming LatestValue<VoiceReport>.Writer, format: StreamFormat, fade: FrameCount)
  {
    voice = Voice(length: 0, channels: format.channels, fade: fade)
    self.reports = reports
    self.format = format
    self.fade = fade
  }

  /// True where it has nothing to add.
  var isAtRest: Bool { voice.isAtRest }

  /// Carries out an order.
  func obey(_ order: Order, sleeping: Bool) {
    if let sound = order.sound {
      voice = Voice(length: FrameCount(sound.count), channels: format.channels, fade: fade)
      self.sound = sound
    }
    voice.obey(order.command)
    requestFrames()
    if case .play = order.command, !sleeping { voice.delay = 0 }
    switch order.command {
    case .play, .replay: started = nil
    default: break
    }
    sequence = order.sequence
  }

  /// True where its playback has come to its end.
  var hasEnded: Bool { voice.state == .ended }

  /// Freezes the voice, because the device is gone for now.
  func freeze() { voice.freeze() }

  /// Publishes a report; returns true if the state changed since the last one, or playback began.
  func publish() -> Bool {
    voice.settle()
    defer { (published, publishedRest, publishedStart) = (voice.state, voice.isAtRest, started) }
    reports.publish(
      VoiceReport(
        state: voice.state, position: voice.position, playsLeft: voice.playsLeft,
        loops: voice.loops, volume: voice.volume, isMuted: voice.isMuted, peak: peak,
        isAtRest: voice.isAtRest, startedNanoseconds: started, sequence: sequence,
        lastFrame: lastFrame))
    return voice.state != published || voice.isAtRest != publishedRest || started != publishedStart
  }
}

extension MixerVoice {
  /// Adds the voice's samples for the next `frames`, of which `mixer` has begun.
  ///
  /// - Parameter end: the frames of the output up to the end of these.
  func render(
    _ frames: Int, upTo end: Int64, into mixer: inout Mixer, _ scratch: inout SoundScratch,
    at now: Duration
  ) {
    peak = 0
    lastFrame = end
    guard let sound, !voice.isAtRest else { return }
    sound.window?.enter()
    defer { sound.window?.leave() }
    voice.correct(length: sound.count)
    requestFrames()
    if var tail = voice.tail {
      let count = min(frames, tail.envelope.framesLeft)
      _ = add(count, from: 0, of: &tail, sound, to: &mixer, &scratch)
      voice.tail = tail
    }
    guard voice.state == .playing else { return }
    let silence = min(voice.delay, frames)
    voice.delay -= silence
    let done = add(frames, from: silence, of: &voice.head, sound, to: &mixer, &scratch)
    if done > silence, started == nil { started = now.nanoseconds }
    if done < frames, !voice.head.cursor.isAtEnd {
      sound.window?.miss(frames - done)
      voice.fadeIn()
    }
  }

  /// Adds the frames of a part up to `frames` as far as they are in memory, and returns the frame
  /// after the last.
  private func add(
    _ frames: Int, from first: Int, of part: inout VoicePart, _ sound: SoundFrames,
    to mixer: inout Mixer, _ scratch: inout SoundScratch
  ) -> Int {
    var done = first
    while done < frames, !part.cursor.isAtEnd {
      let near = min(frames - done, sound.reach(from: part.cursor.place))
      guard near > 0, let piece = part.cursor.advance(upTo: near) else { break }
      scratch.add(sound, piece, of: &part, to: &mixer, at: done)
      done += piece.count
    }
    if done > first {
      part.isRendered = true
      peak = max(peak, scratch.takePeak())
    }
    return done
  }

  /// Requests the frames that it needs next; during a fade-out at another position those stay
  /// requested.
  private func requestFrames() {
    if voice.tail == nil { sound?.window?.wanted = voice.head.cursor.position }
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}

/// Memory in which pieces of sounds become floats with the volume applied.
struct SoundScratch: ~Copyable, Sendable {
  private var memory: [Float]
  private var peak: Float = 0
  private let fromInt16 = SampleConversion(from: .int16, to: .float32)
  private let fromFloat = SampleConversion(from: .float32, to: .float32)

  /// Room for that many frames.
  init(_ frames: Int, channels: ChannelCount) {
    memory = [Float](repeating: 0, count: frames * channels.value)
  }

  /// Adds a piece of a sound to the mix from frame `first` on, with the gains of its part.
  mutating func add(
    _ sound: SoundFrames, _ piece: Range<Int>, of part: inout VoicePart, to mixer: inout Mixer,
    at first: Int
  ) {
    let conversion = sound.isFloat ? fromFloat : fromInt16
    let highest = Self.add(
      sound.bytes(piece), conversion, of: &part, to: &mixer, at: first,
      by: &memory, samples: piece.count * sound.channels)
    peak = max(peak, highest)
  }

  /// Returns the largest magnitude.
  private static func add(
    _ bytes: RawSpan, _ conversion: SampleConversion, of part: inout VoicePart,
    to mixer: inout Mixer, at first: Int, by memory: inout [Float], samples: Int
  ) -> Float {
    var all = memory.mutableSpan
    var floats = all._mutatingExtracting(first: samples)
    conversion.convert(bytes, into: &floats)
    part.volume.apply(to: &floats)
    mixer.add(floats.span, at: first, gain: &part.envelope)
    var peak: Float = 0
    for index in floats.indices {
      let magnitude = floats[index].magnitude
      if magnitude > peak { peak = magnitude }
    }
    return peak
  }

  /// The largest magnitude since the last time.
  mutating func takePeak() -> Float {
    defer { peak = 0 }
    return peak
  }
}

/// Every voice of one output, mixed period by period; the thread that renders owns it.
///
/// Once it is made, nothing in it allocates or locks. Commands come and reports leave through rings
/// and latest values, between periods.
package struct Mixing: ~Copyable {
  /// The frames of one period.
  package let period: Int
  /// The format that the device takes.
  package let format: StreamFormat
  /// Indexed in loops: an iterator of unspecialised code allocates for each element.
  private let voices: [MixerVoice]
  private var orders: SampleRing.Reader
  private var mixer: Mixer
  private var scratch: SoundScratch
  private let conversion: SampleConversion
  private var noise: Dither
  private var hasChanged = false
  /// The frames that were mixed so far.
  package private(set) var mixed: Int64 = 0

  init(
    _ voices: consuming [MixerVoice], orders: consuming SampleRing.Reader, format: StreamFormat,
    period: Int, seed: UInt64
  ) {
    self.voices = voices
    self.orders = orders
    self.format = format
    self.period = period
    mixer = Mixer(capacity: FrameCount(period), channels: format.channels)
    scratch = SoundScratch(period, channels: format.channels)
    conversion = SampleConversion(from: .float32, to: format.sample)
    noise = Dither(seed: seed)
  }

  /// The bytes of one period.
  package var bytes: Int { period * format.bytesPerFrame }

  /// True where no voice has anything to add, now and later.
  package var isAtRest: Bool {
    for place in 0..<voices.count where !voices[place].isAtRest { return false }
    return true
  }

  /// Gives the voices the commands since the last time; returns true if there were any.
  ///
  /// - Parameter sleeping: true if the device slept until now, so that a lead-in is due.
  @discardableResult
  package mutating func obey(sleeping: Bool) -> Bool {
    var isNew = false
    while let order = orders.takeOrder() {
      voices[order.slot].obey(order, sleeping: sleeping)
      isNew = true
    }
    if isNew { publish() }
    return isNew
  }

  /// Renders the next period; samples beyond full scale are clipped.
  ///
  /// - Parameters:
  ///   - bytes: has room for a period.
  ///   - now: CLOCK_MONOTONIC, for the reports.
  package mutating func render(into bytes: inout MutableRawSpan, at now: Duration) {
    mixer.begin(period)
    mixed += Int64(period)
    for place in 0..<voices.count where !voices[place].isAtRest {
      voices[place].render(period, upTo: mixed, into: &mixer, &scratch, at: now)
    }
    publish()
    mixer.saturate()
    var noise = noise
    conversion.convert(mixer.samples, into: &bytes, dithering: &noise)
    self.noise = noise
  }

  /// The first frame behind `played` with which a playback ended; nil where there is none.
  func nextEnd(after played: Int64) -> Int64? {
    var next: Int64?
    for place in 0..<voices.count where voices[place].hasEnded && voices[place].lastFrame > played {
      next = min(next ?? .max, voices[place].lastFrame)
    }
    return next
  }

  /// Keeps every voice at its position, because the device is gone for now.
  package mutating func freeze() {
    for voice in voices { voice.freeze() }
    publish()
  }

  /// True if the state of a voice changed since the last time.
  package mutating func takeChange() -> Bool {
    defer { hasChanged = false }
    return hasChanged
  }

  private mutating func publish() {
    for place in 0..<voices.count where voices[place].publish() { hasChanged = true }
  }
}

// SAFETY: the voices are reachable through this value alone, which one thread owns at a time.
extension Mixing: @unchecked Sendable {}
