internal import Audio
internal import Hosting
internal import Playback
internal import Sounds
internal import Synchronization

/// One sound on one player. It can be started, paused, moved and stopped, any number of times.
///
/// If the program releases the playback, a playing sound continues to its end, an endless sound
/// ends after the current round, and a paused sound stops.
public final class Playback: Sendable {
  /// The state of a playback: the state that the program requested last, or `ended`.
  public enum State: Hashable, Sendable, CaseIterable {
    /// Stopped. A start plays from the position.
    case stopped
    /// Playing, or about to play.
    case playing
    /// Paused until it is resumed. The device stays open.
    case paused
    /// Finished or failed. The next start plays from the beginning.
    case ended
  }

  /// The result of a play.
  public enum End: Hashable, Sendable {
    /// The sound played to its end.
    case finished
    /// The sound was stopped.
    case stopped
    /// The sound could not be played, or failed before its end.
    case failed(RecorderError)
  }

  /// The sound.
  public let sound: Sound
  let hosted: HostedPlay
  private let news: PlaybackNews
  private let settings = Mutex(Settings())

  private struct Settings {
    var volume = 1.0
    var pan = 0.0
    var repetition = Repetition.once
  }

  init(of sound: Sound, on player: HostedPlayer) {
    self.sound = sound
    let news = PlaybackNews()
    var handlers = HostedHandlers()
    handlers.ended = { news.end($0, $1) }
    handlers.levels = { news.levels.send(Levels($0)) }
    hosted = player.play(sound.source, handlers)
    news.levels.whenAudienceChanges { [weak hosted] in hosted?.reportLevels($0) }
    self.news = news
  }

  deinit { news.close() }
}

extension Playback {
  /// Opens the device and decodes the sound, so that the next start plays immediately.
  public func prepare() async throws(RecorderError) {
    let error = await withCheckedContinuation { waiting in
      hosted.prepare { waiting.resume(returning: $0) }
    }
    if let error { throw RecorderError(error) }
  }

  /// Plays from the position, and returns once the first frame is written. A sound that is already
  /// playing continues.
  ///
  /// If the task is cancelled before the first frame is written, the sound is stopped, and `start`
  /// throws `alreadyEnded`.
  /// - Parameter instant: the time at which the first frame plays, or nil to play immediately.
  public func start(at instant: SuspendingClock.Instant? = nil) async throws(RecorderError) {
    if Task.isCancelled { throw .ended }
    let running = Endable<Playback>()
    running.set(self)
    let start = beginning(at: instant)
    let error = await withTaskCancellationHandler {
      await start.value
    } onCancel: {
      running.end { $0.stop() }
    }
    if let error { throw error }
    if running.isOver { throw .ended }
  }

  /// Requests a start, and returns immediately. The promise gets nil once the first frame is
  /// written, or the error if the start failed.
  func beginning(at instant: SuspendingClock.Instant? = nil) -> Promise<RecorderError?> {
    let beginning = Promise<RecorderError?>()
    start(at: instant) { beginning.set($0.map { RecorderError($0) }) }
    return beginning
  }

  private func start(
    at instant: SuspendingClock.Instant?, _ done: @escaping @Sendable (SoundError?) -> Void
  ) {
    news.show(.playing)
    news.begin(hosted.start(at: instant?.monotonic, done))
    // The end of the former play may have been shown meanwhile, so show the current state.
    news.show(state)
  }

  /// Pauses at the next frame.
  public func pause() {
    hosted.pause()
    news.show(state)
  }

  /// Continues from the position, without waiting for the first frame.
  public func resume() { _ = beginning() }

  /// Stops, and keeps the position. The device closes after 20 seconds without sound, or with
  /// `Player.close`.
  ///
  /// - Parameter fade: the duration of the fade-out; at least a few milliseconds, to avoid a click.
  public func stop(within fade: Duration = .zero) {
    hosted.stop(within: fade)
    news.show(state)
  }

  /// Moves to a position. A playing sound continues there. Positions past the end are limited to
  /// the end.
  public func seek(to position: Duration) { hosted.seek(to: position) }

  /// The state.
  public var state: State { State(hosted.state) }

  /// The audible position in the sound.
  public var position: Duration { hosted.position }

  /// Waits until the current play has ended, and returns its result. If there is no current play,
  /// returns the result of the last play, or waits for the end of the first play. Cancelling the
  /// task does not end the wait. To end it, stop the sound.
  public func waitUntilEnded() async -> End { await news.end }
}

extension Playback {
  /// The gain as a factor: 1 leaves the samples unchanged. Samples beyond full scale are limited.
  public var volume: Double {
    get { settings.withLock { $0.volume } }
    set { setVolume(newValue) }
  }

  /// Fades linearly to a volume.
  public func setVolume(_ volume: Double, within fade: Duration = .zero) {
    let volume = volume.isNaN ? 0 : min(max(volume, 0), 1_000)
    settings.withLock { $0.volume = volume }
    hosted.setVolume(Float(volume), within: max(.zero, fade))
  }

  /// The pan, from −1 (left) to 1 (right); 0 changes nothing.
  public var pan: Double {
    get { settings.withLock { $0.pan } }
    set {
      let pan = newValue.isNaN ? 0 : min(max(newValue, -1), 1)
      settings.withLock { $0.pan = pan }
      hosted.setPan(Float(pan))
    }
  }

  /// The number of times that the sound plays, without gaps. If the number is set during playback,
  /// the current round is included: `once` ends the sound after this round.
  ///
  /// Numbers out of range are limited.
  public var repetition: Repetition {
    get { settings.withLock { $0.repetition } }
    set {
      let repetition = newValue.limited
      settings.withLock { $0.repetition = repetition }
      hosted.setRepeats(repetition.plays.map { $0 - 1 })
    }
  }

  /// The loudness of each channel, 20 times a second while the sound plays.
  public var levels: Updates<Levels> { news.levels.updates }

  /// The states, beginning with the next change.
  public var states: Updates<State> { news.states }
}

extension Playback.State {
  init(_ state: PlaybackState) {
    self =
      switch state {
      case .stopped: .stopped
      case .playing: .playing
      case .paused: .paused
      case .ended: .ended
      }
  }
}

/// Blocking versions of the functions above. Never use them on a thread of Swift concurrency.
extension Playback {
  /// Opens the device and decodes the sound.
  package func prepareWaiting() throws(RecorderError) {
    let error: SoundError? = try awaiting { hosted.prepare($0) }
    if let error { throw RecorderError(error) }
  }

  /// Plays from the position, and returns once the first frame is written. If `instant` is not nil,
  /// returns immediately.
  package func startWaiting(at instant: SuspendingClock.Instant? = nil) throws(RecorderError) {
    if let instant { return start(at: instant) { _ in } }
    let error: SoundError? = try awaiting { start(at: nil, $0) }
    if let error { throw RecorderError(error) }
  }

  /// Pauses, and returns once the position no longer changes.
  package func pauseWaiting() throws(RecorderError) {
    pause()
    try settleWaiting()
  }

  /// Stops, and closes the device unless another sound plays on it. Returns after that.
  package func stopWaiting() throws(RecorderError) {
    news.show(.stopped)
    try awaiting { done in hosted.stop(closing: true) { done(()) } }
  }

  /// Returns once all earlier requests have been carried out.
  package func settleWaiting() throws(RecorderError) {
    try awaiting { done in hosted.whenSettled { done(()) } }
  }

  /// Calls the closure when a play ends, on a thread that must not block.
  package func whenEnded(_ call: @escaping @Sendable (End) -> Void) { news.whenEnded(call) }

  /// Whether the sound has played to its end, and was not started or moved since.
  package var isAtEnd: Bool { hosted.isAtEnd }

  /// Turns the measurement for `measured` on or off.
  package func measure(_ isOn: Bool) { hosted.measure(isOn) }

  /// The loudness of the last 50 ms. It has no channels if nothing is measured or nothing plays.
  package var measured: Levels { Levels(hosted.levels) }
}

/// The events of a playback, for listeners and waiting tasks.
private final class PlaybackNews: Sendable {
  let levels = Broadcast<Levels>(keeping: 1)
  private let changes = Broadcast<Playback.State>(keeping: 64)
  private let shown = Mutex(Playback.State.stopped)
  private let ending = Promise<Playback.End>()
  private let calls = Mutex<[@Sendable (Playback.End) -> Void]>([])

  /// The states, beginning with the next change.
  var states: Updates<Playback.State> { changes.updates }

  /// Reports a state that differs from the last reported state. The state is read under the lock,
  /// so that an older state is never reported after a newer state.
  func show(_ current: @autoclosure () -> Playback.State) {
    shown.withLock { shown in
      let state = current()
      if shown != state { changes.send(state) }
      shown = state
    }
  }

  /// Clears the end of the former play, because a new play begins.
  func begin(_ play: Int) { ending.begin(play) }

  /// Reports the end of a play.
  func end(_ play: Int, _ hosted: HostedEnd) {
    let end: Playback.End =
      switch hosted {
      case .finished: .finished
      case .stopped: .stopped
      case .failed(let error): .failed(RecorderError(error))
      }
    ending.set(end, of: play) { isLatest in
      if isLatest, end != .stopped { show(.ended) }
    }
    for call in calls.withLock({ $0 }) { call(end) }
  }

  /// The end of the latest play. Waits until this play has ended.
  var end: Playback.End {
    get async { await ending.value }
  }

  /// Calls the closure at each end, on a thread that must not block.
  func whenEnded(_ call: @escaping @Sendable (Playback.End) -> Void) {
    calls.withLock { $0.append(call) }
  }

  /// Ends all sequences, because the playback was released.
  func close() {
    levels.end()
    changes.end()
  }
}
