package import Audio
internal import RealTime

/// The playback of one sound: its state, position and volume. It holds no samples.
///
/// After a change that would cause a click, the voice has two parts for some milliseconds. The tail
/// continues from the old position and fades out. The head begins at the new position.
package struct Voice: Sendable {
  /// The state of the playback.
  package private(set) var state = PlaybackState.stopped
  /// The gain of the sound. At 1, the samples are unchanged. Mute does not change the gain.
  package private(set) var volume: Float = 1
  /// Whether the voice is muted. A muted voice continues to play.
  package private(set) var isMuted = false
  var head: VoicePart
  var tail: VoicePart?
  /// The number of silent frames before the head begins.
  var delay = 0
  /// The time of CLOCK_MONOTONIC at which the head begins, in nanoseconds, or nil if the head has
  /// no start time or has reached it.
  var beginning: Int64?
  /// The number of plays that the last `play` or `repeats` command requested.
  private var times = 1
  private let fade: Int

  /// Creates a stopped voice at the first frame. A fade that prevents a click takes `fade` frames.
  package init(length: FrameCount, channels: ChannelCount, fade: FrameCount) {
    head = VoicePart(length: Int(length.value), channels: channels)
    self.fade = Int(fade.value)
  }

  /// The next frame to render, or the frame that `resume` would continue from.
  package var position: FrameCount { FrameCount(head.cursor.position) }
  /// The number of plays that have not ended, including the current one.
  package var playsLeft: Int { head.cursor.playsLeft }
  /// Whether the sound continues at its beginning after its end.
  package var loops: Bool { head.cursor.loops }
  /// The number of frames rendered since the voice last started or jumped.
  var rendered: Int { head.rendered }
  /// Whether the voice is silent and stays silent until it gets a command.
  package var isAtRest: Bool { state != .playing && tail == nil }
}

extension Voice {
  /// Carries out a command. Does nothing if the command has no effect in the voice's state, such as
  /// a pause of a stopped voice.
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
    case .repeats(let more): setRepeats(more)
    case .mute(let isMuted): mute(isMuted)
    case .pan(let target): pan(to: target)
    case .meter: break
    }
    endIfFinished()
  }

  private mutating func play(_ options: PlayOptions) {
    fadeOut()
    times = max(1, options.times)
    head.cursor.loops = options.loops
    volume = options.volume ?? volume
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

  /// Fades to silence, and sets the state. An ended voice stays ended.
  private mutating func halt(_ state: PlaybackState) {
    guard self.state != .ended else {
      // Otherwise `freeze` would make the ended voice play its rendered frames again.
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
    // A voice that was never played, or was rewound after its end, has no plays left. It gets all
    // its plays again.
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

  private mutating func setRepeats(_ more: Int) {
    head.cursor.loops = more == .max
    times = more == .max ? 1 : max(0, more) + 1
    if head.cursor.playsLeft > 0 { head.cursor.playsLeft = times }
  }

  private mutating func pan(to target: Float) {
    head.balance.move(to: target, within: state == .playing ? fade : 0)
    tail?.balance.move(to: target, within: fade)
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

  /// Changes the gain within `frames` frames, or immediately while the voice is silent.
  private mutating func move(to factor: Float, within frames: Int) {
    head.volume.move(to: factor, within: state == .playing ? frames : 0)
    tail?.volume.move(to: factor, within: frames)
  }

  /// Makes a tail that fades out from the current position, so that the head can move to another
  /// position.
  ///
  /// One tail is enough: a period is at least as long as a fade, so an earlier tail has ended. A
  /// head that has rendered no frame since it last started or jumped needs no fade-out.
  private mutating func fadeOut() {
    if state == .playing && head.isRendered && !head.cursor.isAtEnd {
      tail = head.fading(within: fade)
    }
    head.rendered = 0
  }
}

extension Voice {
  /// Corrects the length of the sound, which was an estimate.
  mutating func correct(length: Int) {
    if head.cursor.length != length { head.cursor.length = length }
    if let part = tail, part.cursor.length != length { tail?.cursor.length = length }
  }

  /// Makes the head begin with a fade-in at its next frame. Called if this frame is not in memory
  /// yet.
  mutating func fadeIn() { head.begin(within: fade) }

  /// Prepares the voice for the return of a lost device, which has not played the last `unheard`
  /// frames. Drops the tail. A playing voice moves back to the first of these frames, and begins
  /// there with a fade-in. A voice that ended within these frames plays them again, too.
  mutating func freeze(unheard: Int) {
    tail = nil
    let missed = min(unheard, head.rendered)
    if state == .ended, missed > 0 {
      head.cursor.playsLeft = 1
      state = .playing
    }
    guard state == .playing else { return }
    head.cursor.retreat(by: missed)
    head.begin(within: fade)
  }

  /// Drops a tail that has no frames left, and sets the state `ended` if the head has no frames
  /// left.
  mutating func endIfFinished() {
    if let part = tail, part.envelope.ramp.framesLeft == 0 || part.cursor.isAtEnd { tail = nil }
    guard state == .playing, head.cursor.isAtEnd else { return }
    head.cursor.playsLeft = 0
    state = .ended
  }
}

/// The head or the tail of a voice: a position in the sound, with gains.
struct VoicePart: Sendable {
  var cursor: Cursor
  /// The gain of the volume, with the fades that commands request.
  var volume: Gain
  /// The gain of the fades that prevent clicks if the part begins or ends in the middle of the
  /// sound.
  var envelope: Gain
  /// The position between left and right.
  var balance: Balance
  /// The number of frames rendered since the part last started or jumped.
  var rendered = 0
  /// Whether a frame was rendered since the part last started or jumped.
  var isRendered: Bool { rendered > 0 }

  init(length: Int, channels: ChannelCount) {
    cursor = Cursor(length: length)
    volume = Gain(1, channels: channels)
    envelope = Gain(1, channels: channels)
    balance = Balance(channels: channels)
  }

  /// Returns this part, fading to silence.
  func fading(within frames: Int) -> VoicePart {
    var part = self
    part.envelope.move(to: 0, within: frames)
    return part
  }

  /// Begins with a fade-in of `frames` frames, except at the beginning of the sound, which needs no
  /// fade.
  mutating func begin(within frames: Int) {
    rendered = 0
    envelope.move(to: 0, within: 0)
    envelope.move(to: 1, within: cursor.position == 0 ? 0 : frames)
  }
}

/// A position in a sound, and the number of plays that are left.
struct Cursor: Hashable, Sendable {
  /// The number of frames of the sound. For a long sound, it is an estimate until the end is
  /// decoded.
  var length: Int {
    didSet { position = min(position, length) }
  }
  /// The next frame. At the end of the sound, it is equal to the length.
  private(set) var position = 0
  /// The number of plays that have not ended, including the current one. A loop counts as one play.
  var playsLeft = 0
  /// Whether the sound continues at its beginning after its end, without a limit.
  var loops = false

  init(length: Int) { self.length = length }

  /// Whether no more frames follow.
  var isAtEnd: Bool { position == length && (length == 0 || !loops && playsLeft <= 1) }

  /// The frame that `advance` would take next.
  var nextFrame: Int { position == length ? 0 : position }

  /// Moves to a frame. A position past the end counts as the end.
  mutating func move(to frame: Int) { position = min(max(0, frame), length) }

  /// Moves back by a number of frames that `advance` has returned, if necessary into previous
  /// plays.
  mutating func retreat(by frames: Int) {
    position -= frames
    guard position < 0, length > 0 else { return }
    let rounds = (length - 1 - position) / length
    position += rounds * length
    if !loops { playsLeft += rounds }
  }

  /// Returns the range of the next contiguous frames, at most `limit` frames, and moves past it.
  /// Returns nil at the end.
  ///
  /// After the last frame of a play, the cursor stays at the end until the next call. So a command
  /// that arrives in between can still end the loop without another play.
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
