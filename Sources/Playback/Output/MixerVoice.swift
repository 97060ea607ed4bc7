internal import Audio
internal import RealTime

/// A slot for one voice in the mix, used by the rendering thread.
final class MixerVoice {
  private var voice: Voice
  private var sound: SoundFrames?
  private var sequence = 0
  private var published = PlaybackState.stopped
  private var publishedRest = true
  private var publishedStart: Int64?
  private var peak: Float = 0
  private var meter: VoiceMeter
  private var started: Int64?
  /// The output position, in frames, at the end of the last period that the voice contributed to.
  private(set) var lastFrame: Int64 = 0
  /// The output position, in frames, after the last frame of the sound.
  private var soundEnd: Int64 = 0
  /// The state of the voice before the frames that may be rewound.
  private var kept: Kept?
  private var reports: LatestValue<VoiceReport>.Writer
  private let format: StreamFormat
  private let fade: FrameCount

  init(_ reports: consuming LatestValue<VoiceReport>.Writer, format: StreamFormat, fade: FrameCount)
  {
    voice = Voice(length: 0, channels: format.channels, fade: fade)
    meter = VoiceMeter(rate: format.rate.hertz, channels: format.channels.value)
    self.reports = reports
    self.format = format
    self.fade = fade
  }

  private struct Kept {
    let voice: Voice
    let meter: VoiceMeter
    let started: Int64?
    let lastFrame: Int64
    let soundEnd: Int64
  }

  /// Whether the sound is read through a window.
  var isLong: Bool { sound?.window != nil }

  /// Saves the state of the voice, so that the next frames can be rewound.
  func keep() {
    kept = Kept(
      voice: voice, meter: meter, started: started, lastFrame: lastFrame, soundEnd: soundEnd)
  }

  /// Whether the frames since `keep` can be rendered again. This requires that all of them are
  /// still in memory, and that the voice has neither ended nor waited for a start time.
  var mayTakeBack: Bool {
    guard let kept else { return isAtRest }
    guard kept.voice.isAtRest == isAtRest, kept.voice.beginning == nil else { return false }
    guard isLong else { return true }
    // After a tail has ended, its frames may be removed from the window.
    let hasTail = kept.voice.tail == nil || voice.tail != nil
    return hasTail && kept.voice.position <= voice.position
  }

  /// Restores the state that `keep` saved. Does nothing if the voice was at rest in that state,
  /// because its sound may no longer exist.
  func takeBack() {
    guard let kept, !kept.voice.isAtRest else { return }
    (voice, meter, started) = (kept.voice, kept.meter, kept.started)
    (lastFrame, soundEnd) = (kept.lastFrame, kept.soundEnd)
    self.kept = nil
    requestFrames()
  }

  /// Whether the voice is silent and stays silent until it gets a command.
  var isAtRest: Bool { voice.isAtRest }

  /// Carries out an order.
  func obey(_ order: Order, sleeping: Bool) {
    if let sound = order.sound {
      voice = Voice(length: FrameCount(sound.count), channels: format.channels, fade: fade)
      self.sound = sound
      started = nil
      meter.isOn = false
    }
    if case .meter(let isOn) = order.command { meter.isOn = isOn }
    voice.obey(order.command)
    requestFrames()
    if case .play = order.command, !sleeping { voice.delay = 0 }
    switch order.command {
    case .play, .replay: started = nil
    default: break
    }
    sequence = order.sequence
  }

  /// Whether the voice waits for a start time.
  var awaitsMoment: Bool { voice.beginning != nil }

  /// Prepares the voice for the return of the lost device, as `Voice.freeze` describes. `mixed`
  /// frames were mixed, and the device has not played the last `unheard` of them.
  func freeze(unheard: Int, of mixed: Int64) {
    voice.freeze(unheard: max(0, unheard - Int(mixed - soundEnd)))
    if !isAtRest { requestFrames() }
  }

  /// Publishes a report. Returns whether the voice has changed its state or has begun to play since
  /// the last report.
  func publish() -> Bool {
    voice.endIfFinished()
    meter.update(isPlaying: voice.state == .playing)
    defer { (published, publishedRest, publishedStart) = (voice.state, voice.isAtRest, started) }
    reports.publish(
      VoiceReport(
        state: voice.state, position: voice.position, playsLeft: voice.playsLeft,
        loops: voice.loops, volume: voice.volume, isMuted: voice.isMuted, peak: peak,
        levels: meter.levels, isAtRest: voice.isAtRest, startedNanoseconds: started,
        sequence: sequence,
        lastFrame: lastFrame, rendered: voice.rendered))
    return voice.state != published || voice.isAtRest != publishedRest || started != publishedStart
  }
}

extension MixerVoice {
  /// Adds the voice's samples for the next `frames` frames to the mixer. The caller must have
  /// called `mixer.begin` for these frames.
  ///
  /// - Parameter moment: the time of these frames and their position in the output.
  func render(
    _ frames: Int, at moment: MixMoment, into mixer: inout Mixer, _ scratch: inout SoundScratch
  ) {
    peak = 0
    lastFrame = moment.end
    guard let sound, !voice.isAtRest else { return }
    sound.window?.enter()
    defer { sound.window?.leave() }
    voice.correct(length: sound.count)
    requestFrames()
    if var tail = voice.tail {
      let count = min(frames, tail.envelope.ramp.framesLeft)
      let done = add(count, from: 0, of: &tail, sound, to: &mixer, &scratch)
      // Drop a tail whose frames are not in memory, because its fade-out would never end.
      voice.tail = done > 0 ? tail : nil
    }
    guard voice.state == .playing, begins(within: frames, at: moment) else { return }
    let silence = min(voice.delay, frames)
    voice.delay -= silence
    let done = add(frames, from: silence, of: &voice.head, sound, to: &mixer, &scratch)
    soundEnd = moment.end - Int64(frames - done)
    if done > silence, started == nil { started = moment.now }
    if done < frames, !voice.head.cursor.isAtEnd { voice.fadeIn() }
  }

  /// Returns whether the voice has begun, or begins within the next `frames` frames. Sets the delay
  /// to the number of frames before the beginning.
  ///
  /// The delay is computed only in the period in which the voice begins. So voices that wait for
  /// the same time begin at the same output position, no matter when each voice received its
  /// command.
  private func begins(within frames: Int, at moment: MixMoment) -> Bool {
    guard let beginning = voice.beginning else { return true }
    let left = moment.frames(until: beginning, rate: format.rate.hertz)
    guard left < frames else { return false }
    voice.beginning = nil
    voice.delay = max(0, left)
    return true
  }

  /// Adds frames of a part to the mix, from index `first` up to index `frames`. Stops at the end of
  /// the sound, and at a frame that is not in memory. Returns the index after the last added frame.
  private func add(
    _ frames: Int, from first: Int, of part: inout VoicePart, _ sound: SoundFrames,
    to mixer: inout Mixer, _ scratch: inout SoundScratch
  ) -> Int {
    var done = first
    while done < frames, !part.cursor.isAtEnd {
      let near = min(frames - done, sound.reach(from: part.cursor.nextFrame))
      guard near > 0, let piece = part.cursor.advance(upTo: near) else { break }
      scratch.add(sound, piece, of: &part, to: &mixer, at: done, &meter)
      done += piece.count
    }
    if done > first {
      part.rendered += done - first
      peak = max(peak, scratch.takePeak())
    }
    return done
  }

  /// Requests the next frames of the voice from the window. While the voice has a tail, the request
  /// does not change, because the tail needs the frames at its own position.
  private func requestFrames() {
    if voice.tail == nil { sound?.window?.wanted = voice.head.cursor.position }
  }
}

/// Memory for converting pieces of sounds to floats and applying the volume.
struct SoundScratch: ~Copyable, Sendable {
  private var memory: [Float]
  private var peak: Float = 0
  private let fromInt16 = SampleConversion(from: .int16, to: .float32)
  private let fromFloat = SampleConversion(from: .float32, to: .float32)

  /// Memory for this number of frames.
  init(_ frames: Int, channels: ChannelCount) {
    memory = [Float](repeating: 0, count: frames * channels.value)
  }

  /// Adds a piece of a sound to the mix, starting at frame `first`, with the gains of `part`.
  mutating func add(
    _ sound: SoundFrames, _ piece: Range<Int>, of part: inout VoicePart, to mixer: inout Mixer,
    at first: Int, _ meter: inout VoiceMeter
  ) {
    let conversion = sound.isFloat ? fromFloat : fromInt16
    let highest = Self.add(
      sound.bytes(piece), conversion, of: &part, to: &mixer, at: first,
      by: &memory, samples: piece.count * sound.channels, &meter)
    peak = max(peak, highest)
  }

  /// Adds samples to the mix and returns their largest magnitude.
  private static func add(
    _ bytes: RawSpan, _ conversion: SampleConversion, of part: inout VoicePart,
    to mixer: inout Mixer, at first: Int, by memory: inout [Float], samples: Int,
    _ meter: inout VoiceMeter
  ) -> Float {
    var all = memory.mutableSpan
    var floats = all._mutatingExtracting(first: samples)
    conversion.convert(bytes, into: &floats)
    part.volume.apply(to: &floats)
    part.balance.apply(to: &floats)
    meter.add(floats.span)
    mixer.add(floats.span, at: first, gain: &part.envelope)
    var peak: Float = 0
    for index in floats.indices {
      let magnitude = floats[index].magnitude
      if magnitude > peak { peak = magnitude }
    }
    return peak
  }

  /// Returns the largest magnitude since the last call.
  mutating func takePeak() -> Float {
    defer { peak = 0 }
    return peak
  }
}

/// The time of a period and its position in the output.
struct MixMoment {
  /// The value of CLOCK_MONOTONIC, in nanoseconds.
  let now: Int64
  /// The number of frames that the device plays before this period.
  let ahead: Int
  /// The output position, in frames, at the end of this period.
  let end: Int64

  /// Returns the number of frames from the first frame of the period to the frame that plays at the
  /// time `beginning`.
  func frames(until beginning: Int64, rate: Int) -> Int {
    let left = Double(beginning &- now) * Double(rate) / 1e9
    // The limits are far beyond any period, and far from an integer overflow.
    return Int(min(max(left, -1e12), 1e12).rounded()) - ahead
  }
}
