package import Audio
internal import RealTime

/// The playback of one sound: its state, position and volume. It holds no samples.
///
/// After a change that would click it has two parts for some milliseconds: one continues from the
/// old position and fades out, the other begins at the new one.
package struct Voice: Sendable {
  /// The state of the playback.
  package private(set) var state = VoiceState.stopped
  /// The gain of the sound, 1 being unchanged, without mute.
  package private(set) var volume: Float = 1
  /// True where it is muted; a muted voice keeps playing.
  package private(set) var isMuted = false
  var head: VoicePart
  var tail: VoicePart?
  /// Silence that still comes before the head.
  var delay = 0
  /// The moment at which the head is to be heard, in nanoseconds; nil once that is reached.
  var beginning: Int64?
  /// The number of plays that the last `play` asked for.
  private var times = 1
  private var endsForGood = false
  private let fade: Int

  /// A voice of `length` frames that is stopped at the first; changes take `fade` frames.
  package init(length: FrameCount, channels: ChannelCount, fade: FrameCount) {
    head = VoicePart(length: Int(length.value), channels: channels)
    self.fade = Int(fade.value)
  }

  /// The frame that comes next, or from which `resume` would continue.
  package var position: FrameCount { FrameCount(head.cursor.position) }
  /// Plays not yet ended, the current one included.
  package var playsLeft: Int { head.cursor.playsLeft }
  /// True where the end leads to the beginning.
  package var loops: Bool { head.cursor.loops }
  /// The frames rendered since it began at its position, or jumped there.
  var rendered: Int { head.rendered }
  /// True where it is silent and stays so without a command.
  package var isAtRest: Bool { state != .playing && tail == nil }
}

extension Voice {
  /// Carries out a command; one that makes no sense in its state changes nothing.
  package mutating func obey(_ command: VoiceCommand) {
    switch command {
    case .play(let options): play(options)
    case .stop: halt(.stopped)
    case .pause: if state == .playing { halt(.paused) }
    case .resume: resume(at: nil)
    case .start(let moment): resume(at: moment)
    case .rewind: move(to: 0)
    case .replay: replay()
    case .seek(let frame): move(to: Int(frame.value))
    case .volume(let volume, let frames): change(to: volume, within: Int(frames.value))
    case .loop(let loops): setLoop(loops)
    case .repeats(let more): setRepeats(more)
    case .mute(let isMuted): mute(isMuted)
    case .pan(let place): pan(to: place)
    case .meter: break
    }
    settle()
  }

  private mutating func play(_ options: PlayOptions) {
    fadeOut()
    times = max(1, options.times)
    endsForGood = options.endsForGood
    head.cursor.loops = options.loops
    volume = options.volume ?? volume
    isMuted = options.isMuted ?? isMuted
    head.volume.move(to: options.fadeIn > 0 ? 0 : factor, within: 0)
    head.volume.move(to: factor, within: Int(options.fadeIn.value))
    delay = Int(options.leadIn.value)
    begin()
  }

  private mutating func replay() {
    fadeOut()
    begin()
  }

  private mutating func begin() {
    head.cursor.move(to: 0)
    head.cursor.playsLeft = times
    head.begin(within: fade)
    beginning = nil
    state = .playing
  }

  /// Fades to silence; an ended voice stays ended.
  private mutating func halt(_ state: VoiceState) {
    guard self.state != .ended else {
      // Without frames to go back over, `freeze` does not play it again once it was stopped.
      head.rendered = 0
      return
    }
    fadeOut()
    delay = 0
    beginning = nil
    self.state = state
  }

  private mutating func resume(at moment: Int64?) {
    if state == .playing, beginning != nil { beginning = moment }
    guard state == .stopped || state == .paused else { return }
    beginning = moment
    // A voice that was never played, or was rewound after its end, has a play to come.
    if head.cursor.playsLeft == 0 { head.cursor.playsLeft = times }
    head.begin(within: fade)
    state = .playing
  }

  private mutating func move(to frame: Int) {
    fadeOut()
    head.cursor.move(to: frame)
    if state == .playing { head.begin(within: fade) }
    if state == .ended && head.cursor.position < head.cursor.length { state = .stopped }
  }

  private mutating func setLoop(_ loops: Bool) {
    guard head.cursor.loops != loops else { return }
    head.cursor.loops = loops
    head.cursor.playsLeft = min(1, head.cursor.playsLeft)
  }

  private mutating func setRepeats(_ more: Int) {
    head.cursor.loops = more == .max
    times = more == .max ? 1 : max(0, more) + 1
    if head.cursor.playsLeft > 0 { head.cursor.playsLeft = times }
  }

  private mutating func pan(to place: Float) {
    head.balance.move(to: place, within: state == .playing ? fade : 0)
    tail?.balance.move(to: place, within: fade)
  }

  private var factor: Float { isMuted ? 0 : volume }

  private mutating func change(to volume: Float, within frames: Int) {
    self.volume = volume
    move(to: factor, within: max(frames, fade))
  }

  private mutating func mute(_ isMuted: Bool) {
    self.isMuted = isMuted
    move(to: factor, within: fade)
  }

  /// Changes the gain, at once while the voice is silent, because nobody can hear it.
  private mutating func move(to factor: Float, within frames: Int) {
    head.volume.move(to: factor, within: state == .playing ? frames : 0)
    tail?.volume.move(to: factor, within: frames)
  }

  /// Fades out the audible frames from here on, so that the head is free to move.
  ///
  /// There is one such tail: periods are at least as long as a fade, so the one before has ended,
  /// and a head that has played nothing since has nothing to fade.
  private mutating func fadeOut() {
    if state == .playing && head.isRendered && !head.cursor.isAtEnd {
      tail = head.fading(within: fade)
    }
    head.rendered = 0
  }
}

extension Voice {
  /// Corrects the length of its sound, which was an estimate.
  mutating func correct(length: Int) {
    if head.cursor.length != length { head.cursor.length = length }
    if let part = tail, part.cursor.length != length { tail?.cursor.length = length }
  }

  /// Begins with a fade-in once the missing frames are there.
  mutating func fadeIn() { head.begin(within: fade) }

  /// Drops the fading tail, and lets a playing voice begin with a fade-in when the lost device is
  /// back, at the first of its frames that were `unheard`; so does one that ended within those.
  mutating func freeze(unheard: Int) {
    tail = nil
    let missed = min(unheard, head.rendered)
    if state == .ended, missed > 0, !endsForGood {
      head.cursor.playsLeft = 1
      state = .playing
    }
    guard state == .playing else { return }
    head.cursor.retreat(by: missed)
    head.begin(within: fade)
  }

  /// Ends a play that has come to its end, at once and not a period later.
  mutating func settle() {
    if let part = tail, part.envelope.ramp.framesLeft == 0 || part.cursor.isAtEnd { tail = nil }
    guard state == .playing, head.cursor.isAtEnd else { return }
    head.cursor.playsLeft = 0
    state = .ended
  }
}

/// One run through a sound with its gains: at the voice's position, or at the one that it had
/// before a jump.
struct VoicePart: Sendable {
  var cursor: Cursor
  /// The volume, with the fades that were requested.
  var volume: Gain
  /// The gain that keeps beginnings and ends within the sound from clicking.
  var envelope: Gain
  /// The place between left and right.
  var balance: Balance
  /// The number of frames that were rendered since it began at this position.
  var rendered = 0
  /// True if a frame of it was rendered since it began at this position.
  var isRendered: Bool { rendered > 0 }

  init(length: Int, channels: ChannelCount) {
    cursor = Cursor(length: length)
    volume = Gain(1, channels: channels)
    envelope = Gain(1, channels: channels)
    balance = Balance(channels: channels)
  }

  /// This part, fading to silence.
  func fading(within frames: Int) -> VoicePart {
    var part = self
    part.envelope.move(to: 0, within: frames)
    return part
  }

  /// Begins with a fade-in, except at the beginning of the sound, which stays as its author made
  /// it.
  mutating func begin(within frames: Int) {
    rendered = 0
    envelope.move(to: 0, within: 0)
    envelope.move(to: 1, within: cursor.position == 0 ? 0 : frames)
  }
}

/// A position in a sound, and the number of plays from there.
struct Cursor: Hashable, Sendable {
  /// The number of frames; for a long sound it is certain at its end only.
  var length: Int {
    didSet { position = min(position, length) }
  }
  /// The next frame; the length itself at the end.
  private(set) var position = 0
  /// Plays not yet ended, the current one included; a loop counts as one.
  var playsLeft = 0
  /// True where the end leads to the beginning, without a limit.
  var loops = false

  init(length: Int) { self.length = length }

  /// True where no more frames follow.
  var isAtEnd: Bool { position == length && (length == 0 || !loops && playsLeft <= 1) }

  /// The frame that would be taken next.
  var place: Int { position == length ? 0 : position }

  /// Moves to a frame; a position past the end is the end.
  mutating func move(to frame: Int) { position = min(max(0, frame), length) }

  /// Moves back by frames that were taken, through the beginning of a play into the one before.
  mutating func retreat(by frames: Int) {
    position -= frames
    guard position < 0, length > 0 else { return }
    let rounds = (length - 1 - position) / length
    position += rounds * length
    if !loops { playsLeft += rounds }
  }

  /// Takes the next frames that lie together, at most `limit`; nil at the end.
  ///
  /// The cursor passes the end of a play only for the frame after it, so a loop that a command ends
  /// meanwhile ends there.
  mutating func advance(upTo limit: Int) -> Range<Int>? {
    if isAtEnd { return nil }
    if position == length {
      position = 0
      if !loops { playsLeft -= 1 }
    }
    let end = position + min(limit, length - position)
    defer { position = end }
    return position..<end
  }
}

/// The state of a voice.
package enum VoiceState: BitwiseCopyable, Hashable, CaseIterable, Sendable {
  /// Silent, at a position from which it can resume.
  case stopped
  /// Rendered in each period, even while muted.
  case playing
  /// As stopped, but by a pause.
  case paused
  /// Played to the end.
  case ended
}

/// The state of a voice after the last period was rendered.
package struct VoiceReport: BitwiseCopyable, Hashable, Sendable {
  /// The state after the last period; `ended` once all frames have left the device, where the
  /// output reports it.
  package var state: VoiceState
  /// The next frame to render.
  package var position: FrameCount
  /// Plays not yet ended, the current one included.
  package var playsLeft: Int
  /// True where the end leads to the beginning.
  package var loops: Bool
  /// The gain, 1 being unchanged, without mute.
  package var volume: Float
  /// True where it is muted.
  package var isMuted: Bool
  /// The largest magnitude of the period, 1 being full scale.
  package var peak: Float
  /// The loudness of each channel, where it is measured.
  package var levels = VoiceLevels.silence
  /// True if it is silent and stays so without a command.
  package var isAtRest: Bool
  /// True if it was given a command that this report does not show yet.
  package internal(set) var isPending = false
  /// True once the last of its frames has left the device and none follows without a command.
  package internal(set) var isSilent = false
  /// CLOCK_MONOTONIC just before the first frame of the latest play was written.
  package var started: Duration? {
    startedNanoseconds.map { .nanoseconds($0) }
  }
  var startedNanoseconds: Int64?
  /// The number of the last order that was carried out.
  var sequence: Int
  /// The frames of the output up to the end of the last period to which the voice added something.
  var lastFrame: Int64 = 0
  /// The frames rendered since it began at its position, or jumped there.
  var rendered = 0
}

extension VoiceReport {
  /// The same report as of the sound that has left the device, which has played the first `played`
  /// frames of the output.
  func played(upTo played: Int64, length: FrameCount) -> VoiceReport {
    let late = FrameCount(max(0, lastFrame - played))
    var report = self
    report.isSilent = isAtRest && late == 0
    guard late > 0, state == .playing || state == .ended else { return report }
    report.state = .playing
    // Before it began at this position it was elsewhere.
    let place = position - min(late, FrameCount(rendered))
    report.position = place >= 0 || !loops ? max(0, place) : max(0, place + length)
    return report
  }
}

extension VoiceReport {
  /// The report of a slot that no voice has had.
  static let atRest = VoiceReport(.stopped, isAtRest: true)
  /// The report of a voice whose first period is still to come.
  static let beginning = VoiceReport(.playing, isAtRest: false)
  /// The report of a voice that is to be silent first.
  static let prepared = VoiceReport(.stopped, isAtRest: false)

  private init(_ state: VoiceState, isAtRest: Bool) {
    self.init(
      state: state, position: 0, playsLeft: 1, loops: false, volume: 1, isMuted: false, peak: 0,
      isAtRest: isAtRest, startedNanoseconds: nil, sequence: 0)
  }
}
