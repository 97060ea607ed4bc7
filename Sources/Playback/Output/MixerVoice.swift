internal import Audio
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
  private var meter: VoiceMeter
  private var started: Int64?
  /// The frames of the output up to the end of the last period to which the voice added something.
  private(set) var lastFrame: Int64 = 0
  /// The frames of the output up to the last one of its sound.
  private var soundEnd: Int64 = 0
  /// Its state before the frames that may be taken back.
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

  /// True where its sound is read through a window.
  var isLong: Bool { sound?.window != nil }

  /// Remembers its state before the frames that come next.
  func keep() {
    kept = Kept(
      voice: voice, meter: meter, started: started, lastFrame: lastFrame, soundEnd: soundEnd)
  }

  /// True where the frames since `keep` can be played anew: each is still in memory, and none was
  /// placed by the time at which it was mixed.
  var mayTakeBack: Bool {
    guard let kept else { return isAtRest }
    guard kept.voice.isAtRest == isAtRest, kept.voice.beginning == nil else { return false }
    guard isLong else { return true }
    // Once a fade-out elsewhere has ended, its frames may leave the window.
    let hasTail = kept.voice.tail == nil || voice.tail != nil
    return hasTail && kept.voice.position <= voice.position
  }

  /// Returns to the state that `keep` remembered. Of a voice at rest the sound may be gone.
  func takeBack() {
    guard let kept, !kept.voice.isAtRest else { return }
    (voice, meter, started) = (kept.voice, kept.meter, kept.started)
    (lastFrame, soundEnd) = (kept.lastFrame, kept.soundEnd)
    self.kept = nil
    requestFrames()
  }

  /// True where it has nothing to add.
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

  /// True where it waits for a moment at which to begin.
  var awaitsMoment: Bool { voice.beginning != nil }

  /// Freezes the voice, because the device is gone for now and has not played the last of the
  /// `mixed` frames of the output.
  func freeze(unheard: Int, of mixed: Int64) {
    voice.freeze(unheard: max(0, unheard - Int(mixed - soundEnd)))
    if !isAtRest { requestFrames() }
  }

  /// Publishes a report; returns true if the state changed since the last one, or playback began.
  func publish() -> Bool {
    voice.settle()
    meter.settle(isPlaying: voice.state == .playing)
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
  /// Adds the voice's samples for the next `frames`, of which `mixer` has begun.
  ///
  /// - Parameter moment: the time, and the place of these frames in the output.
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
      // Without its frames it would never end.
      voice.tail = done > 0 ? tail : nil
    }
    guard voice.state == .playing, begins(within: frames, at: moment) else { return }
    let silence = min(voice.delay, frames)
    voice.delay -= silence
    let done = add(frames, from: silence, of: &voice.head, sound, to: &mixer, &scratch)
    soundEnd = moment.end - Int64(frames - done)
    if done > silence, started == nil { started = moment.now }
    if done < frames, !voice.head.cursor.isAtEnd {
      sound.window?.miss(frames - done)
      voice.fadeIn()
    }
  }

  /// True where the voice has begun, or does within the next `frames`; its delay is what comes
  /// before that.
  ///
  /// It is decided in the period of the beginning: so voices that wait for one moment begin with
  /// one frame, whenever each was told.
  private func begins(within frames: Int, at moment: MixMoment) -> Bool {
    guard let beginning = voice.beginning else { return true }
    let left = moment.frames(until: beginning, rate: format.rate.hertz)
    guard left < frames else { return false }
    voice.beginning = nil
    voice.delay = max(0, left)
    return true
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
      scratch.add(sound, piece, of: &part, to: &mixer, at: done, &meter)
      done += piece.count
    }
    if done > first {
      part.rendered += done - first
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
    at first: Int, _ meter: inout VoiceMeter
  ) {
    let conversion = sound.isFloat ? fromFloat : fromInt16
    let highest = Self.add(
      sound.bytes(piece), conversion, of: &part, to: &mixer, at: first,
      by: &memory, samples: piece.count * sound.channels, &meter)
    peak = max(peak, highest)
  }

  /// Returns the largest magnitude.
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

  /// The largest magnitude since the last time.
  mutating func takePeak() -> Float {
    defer { peak = 0 }
    return peak
  }
}

/// The time of a period, and its place in the output.
struct MixMoment {
  /// CLOCK_MONOTONIC in nanoseconds.
  let now: Int64
  /// The frames that the device plays before this period.
  let ahead: Int
  /// The frames of the output up to the end of this period.
  let end: Int64

  /// The number of frames from the beginning of the period to a moment at which it is heard.
  func frames(until beginning: Int64, rate: Int) -> Int {
    let left = Double(beginning &- now) * Double(rate) / 1e9
    // Far beyond any period, and far from the end of integers.
    return Int(min(max(left, -1e12), 1e12).rounded()) - ahead
  }
}
