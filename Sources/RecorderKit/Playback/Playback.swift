internal import Hosting
internal import Playback
internal import Sounds
internal import Synchronization

/// One sound on one player: it can be started, paused, moved and stopped, and started again.
///
/// A playback that nobody holds any more plays on to the end of its round.
public final class Playback: Sendable {
  /// The state of a playback, as it was ordered or as it came.
  public enum State: Hashable, Sendable, CaseIterable {
    /// Silent, at a position from which it can start.
    case stopped
    /// Heard, or about to be.
    case playing
    /// Silent until it is resumed; the device stays open.
    case paused
    /// At its end, or failed; a start begins anew.
    case ended
  }

  /// The way in which a play ended.
  public enum End: Hashable, Sendable {
    /// It came to the end of the sound.
    case finished
    /// It was stopped.
    case stopped
    /// It could not be played, or not to its end.
    case failed(RecorderError)
  }

  /// The sound that it plays.
  public let sound: Sound
  let hosted: HostedPlay
  private let news: PlaybackNews
  private let settings = Mutex(Settings())

  private struct Settings {
    var volume = 1.0
    var pan = 0.0
    var repeats: Int? = 0
  }

  init(of sound: Sound, on player: HostedPlayer) {
    self.sound = sound
    let news = PlaybackNews()
    var handlers = HostedHandlers()
    handlers.ended = { news.end($0) }
    handlers.levels = { news.levels.send(Levels($0)) }
    hosted = player.play(sound.source, handlers)
    news.tell(of: hosted)
    self.news = news
  }

  deinit { news.close() }
}

extension Playback {
  /// Opens the device and decodes the sound, so that the next start is heard at once.
  public func prepare() async throws(RecorderError) {
    let error = await withCheckedContinuation { waiting in
      hosted.prepare { waiting.resume(returning: $0) }
    }
    if let error { throw RecorderError(error) }
  }

  /// Plays from the position, and returns once the first frame is written; one that is playing
  /// plays on.
  ///
  /// - Parameter moment: the time of the player's `clock` at which the first frame is to be heard.
  public func start(at moment: Duration? = nil) async throws(RecorderError) {
    if let error = await beginning(at: moment).value { throw error }
  }

  /// Orders a start at once; the value comes with the first frame, and is the error of a start that failed.
  func beginning(at moment: Duration? = nil) -> Promise<RecorderError?> {
    let beginning = Promise<RecorderError?>()
    news.begin()
    hosted.start(at: moment) { beginning.set($0.map { RecorderError($0) }) }
    news.show(.playing)
    return beginning
  }

  /// Falls silent, and stays at the next frame.
  public func pause() {
    hosted.pause()
    news.show(state)
  }

  /// Continues from the position, and does not wait for the first frame.
  public func resume() { _ = beginning() }

  /// Stops and keeps the position; the device is free once nothing else plays on it.
  ///
  /// - Parameter fade: the time in which it falls silent; a few milliseconds at least, so that
  ///   nothing clicks.
  public func stop(within fade: Duration = .zero) {
    hosted.stop(within: fade)
    news.show(state)
  }

  /// Moves to a position, from which it goes on where it plays; the end is the last one.
  public func seek(to position: Duration) { hosted.seek(to: position) }

  /// The state.
  public var state: State { State(hosted.state) }

  /// The position in the sound that is heard.
  public var position: Duration { hosted.position }

  /// The way in which the present play ends, or the last one has ended; waits until then.
  public var end: End {
    get async { await news.end }
  }
}

extension Playback {
  /// The factor of the samples, 1 leaving them as they are; what passes full scale is limited.
  public var volume: Double {
    get { settings.withLock { $0.volume } }
    set { setVolume(newValue) }
  }

  /// Moves to a volume in a straight line, in that time.
  public func setVolume(_ volume: Double, within fade: Duration = .zero) {
    let volume = volume.isNaN ? 0 : min(max(volume, 0), 1_000)
    settings.withLock { $0.volume = volume }
    hosted.setVolume(Float(volume), within: max(.zero, fade))
  }

  /// The place between left, −1, and right, 1; 0 changes nothing.
  public var pan: Double {
    get { settings.withLock { $0.pan } }
    set {
      let pan = newValue.isNaN ? 0 : min(max(newValue, -1), 1)
      settings.withLock { $0.pan = pan }
      hosted.setPan(Float(pan))
    }
  }

  /// The number of rounds after the present one, without a gap between them; nil is without end.
  ///
  /// While it plays, 0 ends it with this round.
  public var repeats: Int? {
    get { settings.withLock { $0.repeats } }
    set {
      let repeats = newValue.map { min(max($0, 0), 1 << 40) }
      settings.withLock { $0.repeats = repeats }
      hosted.setRepeats(repeats)
    }
  }

  /// The loudness of each channel, 20 times a second while it plays.
  public var levels: Updates<Levels> { news.levels.updates }

  /// The states, from the next change on.
  public var states: Updates<State> { news.states }
}

extension Playback.State {
  init(_ state: HostedState) {
    self =
      switch state {
      case .stopped: .stopped
      case .playing: .playing
      case .paused: .paused
      case .ended: .ended
      }
  }
}

extension Levels {
  init(_ levels: VoiceLevels) {
    let channels = (0..<levels.count).map { channel in
      Level(peak: Double(levels.peak(of: channel)), rms: Double(levels.rms(of: channel)))
    }
    let squares = channels.reduce(0) { $0 + $1.rms * $1.rms }
    self.init(
      all: Level(
        peak: channels.map(\.peak).max() ?? 0,
        rms: channels.isEmpty ? 0 : (squares / Double(channels.count)).squareRoot()),
      channels: channels)
  }
}

/// The same calls for a thread that may wait: never for one of Swift's concurrency.
extension Playback {
  /// Opens the device and decodes the sound.
  package func prepareWaiting() throws(RecorderError) {
    let error: SoundError? = try awaiting { hosted.prepare($0) }
    if let error { throw RecorderError(error) }
  }

  /// Plays from the position, and returns once the first frame is written; with a moment, at once.
  package func startWaiting(at moment: Duration? = nil) throws(RecorderError) {
    news.begin()
    news.show(.playing)
    if let moment { return hosted.start(at: moment) }
    let error: SoundError? = try awaiting { hosted.start($0) }
    if let error { throw RecorderError(error) }
  }

  /// Pauses, and returns once the position stands still.
  package func pauseWaiting() throws(RecorderError) {
    pause()
    try settleWaiting()
  }

  /// Stops, and returns once the device is closed, unless something else plays on it.
  package func stopWaiting() throws(RecorderError) {
    news.show(.stopped)
    try awaiting { done in hosted.stop(closing: true) { done(()) } }
  }

  /// Returns once everything that was ordered before has been carried out.
  package func settleWaiting() throws(RecorderError) {
    try awaiting { done in hosted.settle { done(()) } }
  }

  /// Calls back with each end of a play, on a thread that must not wait.
  package func whenEnded(_ call: @escaping @Sendable (End) -> Void) { news.whenEnded(call) }

  /// Measures the loudness for `measured`, or no longer.
  package func measure(_ isOn: Bool) { hosted.measure(isOn) }

  /// The loudness of the last 50 ms; no channels where nothing is measured or nothing plays.
  package var measured: Levels { Levels(hosted.levels) }
}

/// The news of a playback for those who wait and listen.
private final class PlaybackNews: Sendable {
  let levels: Broadcast<Levels>
  private let changes = Broadcast<Playback.State>(keeping: 64)
  private let shown = Mutex(Playback.State.stopped)
  private let play: PlayReference
  private let ending = Promise<Playback.End>()
  private let calls = Mutex<[@Sendable (Playback.End) -> Void]>([])

  init() {
    let play = PlayReference()
    self.play = play
    levels = Broadcast(keeping: 1, audienceChanged: { play.held?.tellLevels($0) })
  }

  /// Makes it the news of that play, which it does not keep alive.
  func tell(of play: HostedPlay) { self.play.hold(play) }

  /// The states, from the next change on.
  var states: Updates<Playback.State> { changes.updates }

  /// Tells a state, unless it is that of before.
  func show(_ state: Playback.State) {
    let isNew = shown.withLock { shown in
      defer { shown = state }
      return shown != state
    }
    if isNew { changes.send(state) }
  }

  /// Forgets the last end, because a play begins.
  func begin() { ending.clear() }

  /// Tells the end of a play.
  func end(_ hosted: HostedEnd) {
    let end: Playback.End =
      switch hosted {
      case .finished: .finished
      case .stopped: .stopped
      case .failed(let error): .failed(RecorderError(error))
      }
    ending.set(end) {
      if end != .stopped { show(.ended) }
      for call in calls.withLock({ $0 }) { call(end) }
    }
  }

  /// The end of the play; waits for it.
  var end: Playback.End {
    get async { await ending.value }
  }

  /// Calls back with each end, on a thread that must not wait.
  func whenEnded(_ call: @escaping @Sendable (Playback.End) -> Void) {
    calls.withLock { $0.append(call) }
  }

  /// Ends what listens, because nobody holds the playback.
  func close() {
    levels.end()
    changes.end()
  }
}

/// A play that is held by others.
private final class PlayReference: Sendable {
  private struct Place {
    weak var play: HostedPlay?
  }

  private let place = Mutex(Place())

  var held: HostedPlay? { place.withLock { $0.play } }

  func hold(_ play: HostedPlay) { place.withLock { $0.play = play } }
}
