internal import Audio
internal import Linux
package import Playback
package import Sounds
internal import Synchronization

/// Plays any number of sounds on one device inside the calling program, on its own thread.
///
/// The first sound starts the thread and opens the device. Both end after a period without sound.
package final class HostedPlayer: Sendable {
  let thread: HostedThread

  /// Creates a player without opening the device.
  package init(_ settings: HostedPlayerSettings) throws(SoundError) {
    let wakeup = try Wakeup()
    thread = HostedThread(wakeup, HostedLoop(settings, wakeup))
  }

  // Playing sounds continue to their end. The device closes right after that.
  deinit { thread.postIfRunning { $0.leave() } }

  /// Returns a stopped playback at the beginning of a sound.
  package func play(_ source: PlaySource, _ handlers: HostedHandlers = .init()) -> HostedPlay {
    HostedPlay(HostedFace(source, handlers), on: thread, keeping: self)
  }

  /// Closes the device unless a playback needs it, then calls `done`.
  package func close(_ done: @escaping @Sendable () -> Void) {
    thread.post { $0.close(done) }
  }
}

/// One sound of a hosted player. It can be played, stopped and played again.
///
/// Every call returns at once. The player's thread carries out the calls in order and reports the
/// results there.
package final class HostedPlay: Sendable {
  let face: HostedFace
  private let thread: HostedThread
  /// The player, held because its release closes the device.
  private let player: any AnyObject & Sendable

  init(_ face: HostedFace, on thread: HostedThread, keeping player: any AnyObject & Sendable) {
    self.face = face
    self.thread = thread
    self.player = player
  }

  deinit {
    let face = face
    guard face.isKnown else { return }
    thread.post { $0.entry(for: face).forget($0) }
  }

  private func post(_ order: @escaping @Sendable (HostedEntry, HostedLoop) -> Void) {
    let face = face
    face.know()
    thread.post { loop in order(loop.entry(for: face), loop) }
  }
}

extension HostedPlay {
  /// Opens the device and decodes the sound, so that the next start plays at once.
  package func prepare(_ done: @escaping @Sendable (SoundError?) -> Void) {
    post { $0.prepare(done, $1) }
  }

  /// Plays from the position. `done` is called once the first frame is written, or at once if the
  /// sound is already playing.
  ///
  /// - Parameter moment: the time of `CLOCK_MONOTONIC` at which the first frame plays.
  package func start(
    at moment: Duration? = nil, _ done: @escaping @Sendable (SoundError?) -> Void = { _ in }
  ) {
    let number = face.order { _ in .playing }
    let moment = moment?.limited
    post { entry, _ in entry.start(at: moment, number, done) }
  }

  /// Pauses at the next frame to be rendered; the device stays open.
  package func pause() {
    guard face.state == .playing else { return }
    let number = face.order { $0 == .playing ? .paused : $0 }
    post { entry, _ in entry.pause(number) }
  }

  /// Stops, and keeps the position.
  ///
  /// - Parameters:
  ///   - fade: the duration of the fade-out; at least a few milliseconds.
  ///   - closing: whether to close the device, unless something else plays on it.
  ///   - done: called once the last frame has played and, with `closing`, the device is closed.
  package func stop(
    within fade: Duration = .zero, closing: Bool = false,
    _ done: @escaping @Sendable () -> Void = {}
  ) {
    let number = face.order { $0 == .ended ? .ended : .stopped }
    post { $0.stop(number, within: fade.limited, closing: closing, done, $1) }
  }

  /// Moves to a position. A playing sound continues there.
  package func seek(to position: Duration) {
    let position = position.limited
    face.seek(to: position)
    post { entry, _ in entry.seek(to: position) }
  }

  /// Fades to a gain; 1 leaves the samples unchanged.
  package func setVolume(_ volume: Float, within fade: Duration = .zero) {
    post { $0.set(volume: volume, within: fade.limited, $1) }
  }

  /// Sets the pan, from −1 (left) to 1 (right).
  package func setPan(_ pan: Float) { post { entry, _ in entry.set(pan: pan) } }

  /// Sets the number of repetitions after the current round; nil repeats without end.
  package func setRepeats(_ repeats: Int?) { post { entry, _ in entry.set(repeats: repeats) } }

  /// Turns the measurement of the loudness of each channel on or off.
  package func measure(_ isOn: Bool) { post { entry, _ in entry.measure(isOn) } }

  /// Turns level reports on or off. They come every 50 ms while the sound plays, to the `levels`
  /// handler.
  package func tellLevels(_ isOn: Bool) { post { entry, _ in entry.tellLevels(isOn) } }

  /// Calls `done` once all earlier orders have been carried out.
  package func whenSettled(_ done: @escaping @Sendable () -> Void) {
    post { entry, _ in entry.whenSettled(done) }
  }
}

extension HostedPlay {
  /// The state.
  package var state: HostedState { face.state }

  /// The audible position in the sound.
  package var position: Duration { face.position }

  /// The loudness of the last 50 ms, or silence if it is not measured.
  package var levels: VoiceLevels { face.report?.report.levels ?? .silence }
}
