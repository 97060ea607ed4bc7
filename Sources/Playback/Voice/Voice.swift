package import Audio
internal import RealTime

/// One sound being played, or not: what it does, where it is, how loud. It holds no samples.
///
/// A change that would click is two strands for some milliseconds: one goes on from where the voice was
/// and becomes silent, the other begins where it is now.
package struct Voice: Sendable {
  /// What it does.
  package private(set) var state = VoiceState.stopped
  /// The factor of the sound, 1 being as it was made, without mute.
  package private(set) var volume: Float = 1
  /// Whether it is silent while it goes on.
  package private(set) var isMuted = false
  var head: Strand
  var tail: Strand?
  /// Silence that still comes before the head.
  var delay = 0
  /// What the last play was told.
  private var times = 1
  private let fade: Int

  /// A voice of `length` frames that is stopped at the first; changes take `fade` frames.
  package init(length: FrameCount, channels: ChannelCount, fade: FrameCount) {
    head = Strand(length: Int(length.value), channels: channels)
    self.fade = Int(fade.value)
  }

  /// The frame that comes next, or from which it would go on.
  package var position: FrameCount { FrameCount(head.cursor.position) }
  /// Plays not yet ended, the one under way included.
  package var playsLeft: Int { head.cursor.playsLeft }
  /// Whether the end leads to the beginning.
  package var loops: Bool { head.cursor.loops }
  /// Whether it is silent and will stay so.
  package var isAtRest: Bool { state != .playing && tail == nil }
}

extension Voice {
  /// Does as it is told; what makes no sense in its state changes nothing.
  package mutating func obey(_ command: VoiceCommand) {
    switch command {
    case .play(let options): play(options)
    case .stop: halt(.stopped)
    case .pause: if state == .playing { halt(.paused) }
    case .resume: resume()
    case .rewind: move(to: 0)
    case .replay: replay()
    case .seek(let frame): move(to: Int(frame.value))
    case .volume(let volume, let frames): change(to: volume, within: Int(frames.value))
    case .loop(let loops): setLoop(loops)
    case .mute(let isMuted): mute(isMuted)
    }
    settle()
  }

  private mutating func play(_ options: PlayOptions) {
    leave()
    times = max(1, options.times)
    head.cursor.loops = options.loops
    volume = options.volume ?? volume
    isMuted = options.isMuted ?? isMuted
    head.volume.move(to: options.fadeIn > 0 ? 0 : factor, within: 0)
    head.volume.move(to: factor, within: Int(options.fadeIn.value))
    delay = Int(options.leadIn.value)
    begin()
  }

  private mutating func replay() {
    leave()
    begin()
  }

  private mutating func begin() {
    head.cursor.move(to: 0)
    head.cursor.playsLeft = times
    head.begin(within: fade)
    state = .playing
  }

  /// Silence; what has ended stays ended.
  private mutating func halt(_ state: VoiceState) {
    guard self.state != .ended else { return }
    leave()
    delay = 0
    self.state = state
  }

  private mutating func resume() {
    guard state == .stopped || state == .paused else { return }
    // A voice that was never played, or was rewound after its end, has a play before it.
    if head.cursor.playsLeft == 0 { head.cursor.playsLeft = times }
    head.begin(within: fade)
    state = .playing
  }

  private mutating func move(to frame: Int) {
    leave()
    head.cursor.move(to: frame)
    if state == .playing { head.begin(within: fade) }
    if state == .ended && head.cursor.position < head.cursor.length { state = .stopped }
  }

  private mutating func setLoop(_ loops: Bool) {
    guard head.cursor.loops != loops else { return }
    head.cursor.loops = loops
    head.cursor.playsLeft = min(1, head.cursor.playsLeft)
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

  /// Nobody hears a volume that changes while the voice is silent.
  private mutating func move(to factor: Float, within frames: Int) {
    head.volume.move(to: factor, within: state == .playing ? frames : 0)
    tail?.volume.move(to: factor, within: frames)
  }

  /// Lets what is heard become silent from here on, so that the head is free to go elsewhere.
  ///
  /// There is one such tail: periods are at least as long as a fade, so the one before has ended,
  /// and a head that has not been heard since has nothing to leave.
  private mutating func leave() {
    if state == .playing && head.isHeard && !head.cursor.isAtEnd {
      tail = head.fading(within: fade)
    }
    head.isHeard = false
  }
}

extension Voice {
  /// How long its sound has turned out to be.
  mutating func correct(length: Int) {
    if head.cursor.length != length { head.cursor.length = length }
    if let strand = tail, strand.cursor.length != length { tail?.cursor.length = length }
  }

  /// Its frames are not there in time: once they are it begins softly.
  mutating func falter() { head.begin(within: fade) }

  /// The device went: what was about to become silent is, and what plays will begin softly.
  mutating func freeze() {
    tail = nil
    if state == .playing { head.begin(within: fade) }
  }

  /// Ends a play that has come to its end, and that is known at once and not a period later.
  mutating func settle() {
    if let strand = tail, strand.envelope.framesLeft == 0 || strand.cursor.isAtEnd { tail = nil }
    guard state == .playing, head.cursor.isAtEnd else { return }
    head.cursor.playsLeft = 0
    state = .ended
  }
}
