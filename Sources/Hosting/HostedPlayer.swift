internal import Audio
internal import Linux
package import Playback
package import Sounds
internal import Synchronization

/// Plays any number of sounds on one device in the program that made it, on a thread of its own.
///
/// The thread and the device come with the first sound, and go when nothing has played for a while.
package final class HostedPlayer: Sendable {
  let thread: HostedThread

  /// A player that opens nothing yet.
  package init(_ settings: HostedPlayerSettings) throws(SoundError) {
    let wakeup = try Wakeup()
    thread = HostedThread(wakeup, HostedLoop(settings, wakeup))
  }

  // Sounds that play go on to their end; the device is closed right after it.
  deinit { thread.postIfRunning { $0.leave() } }

  /// A playback of a sound, at its beginning and silent.
  package func play(_ source: PlaySource, _ handlers: HostedHandlers = .init()) -> HostedPlay {
    HostedPlay(HostedFace(source, handlers), on: thread, keeping: self)
  }

  /// Closes the device where nothing plays; `done` is called once it is closed.
  package func close(_ done: @escaping @Sendable () -> Void) {
    thread.post { $0.close(done) }
  }
}

/// One sound of a hosted player, which can be played, stopped and played again.
///
/// Every call returns at once; the player's thread does the work in the order of the calls and
/// tells its outcome there.
package final class HostedPlay: Sendable {
  let face: HostedFace
  private let thread: HostedThread
  /// The player, whose device stays open while somebody holds a playback.
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
  /// Opens the device and decodes the sound, so that the next start is heard at once.
  package func prepare(_ done: @escaping @Sendable (SoundError?) -> Void) {
    post { $0.prepare(done, $1) }
  }

  /// Plays from the position; `done` is called once the first frame is written, or at once where it
  /// is playing already.
  ///
  /// - Parameter moment: the time by CLOCK_MONOTONIC at which the first frame is to be heard.
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
  ///   - fade: the time in which it falls silent; a few milliseconds at least.
  ///   - closing: closes the device where nothing else plays on it.
  ///   - done: called once its last frame has been heard, and the device is closed.
  package func stop(
    within fade: Duration = .zero, closing: Bool = false,
    _ done: @escaping @Sendable () -> Void = {}
  ) {
    let number = face.order { $0 == .ended ? .ended : .stopped }
    post { $0.stop(number, within: fade.limited, closing: closing, done, $1) }
  }

  /// Moves to a position, from which it goes on where it is playing.
  package func seek(to position: Duration) {
    let position = position.limited
    face.seek(to: position)
    post { entry, _ in entry.seek(to: position) }
  }

  /// Moves to a gain, 1 being unchanged.
  package func setVolume(_ volume: Float, within fade: Duration = .zero) {
    post { $0.set(volume: volume, within: fade.limited, $1) }
  }

  /// Moves between left, −1, and right, 1.
  package func setPan(_ pan: Float) { post { entry, _ in entry.set(pan: pan) } }

  /// Repeats the sound that often after the present round; nil is without end.
  package func setRepeats(_ repeats: Int?) { post { entry, _ in entry.set(repeats: repeats) } }

  /// Measures the loudness of each channel, or no longer.
  package func measure(_ isOn: Bool) { post { entry, _ in entry.measure(isOn) } }

  /// Tells the loudness every 50 ms while it plays, to the handler of this play, or no longer.
  package func tellLevels(_ isOn: Bool) { post { entry, _ in entry.tellLevels(isOn) } }

  /// Calls `done` once everything that was ordered before has been carried out.
  package func settle(_ done: @escaping @Sendable () -> Void) {
    post { entry, _ in entry.settle(done) }
  }
}

extension HostedPlay {
  /// The state.
  package var state: HostedState { face.state }

  /// The position in the sound that is heard.
  package var position: Duration { face.position }

  /// The loudness of the last 50 ms; nothing where it is not measured.
  package var levels: VoiceLevels { face.report?.report.levels ?? .silence }
}
