package import Audio
package import Linux
package import Playback
package import Sounds

/// A player inside the calling program. It plays any number of sounds on one device, and has its
/// own thread.
///
/// The first sound starts the thread and opens the device. When the device has been unused for some
/// time, it is closed and the thread ends.
package final class HostedPlayer: Sendable {
  private let device: HostedDevice

  /// Creates a player without opening the device.
  package init(_ settings: HostedPlayerSettings) throws(SystemError) {
    device = try HostedDevice(settings)
  }

  // Sounds that are playing continue to their end. Then the device closes immediately.
  deinit { device.releasePlayer() }

  /// Returns a playback that is stopped at the beginning of a sound.
  package func play(_ source: PlaySource, _ handlers: HostedHandlers = .init()) -> HostedPlay {
    HostedPlay(HostedEntry(source, handlers, device.loader), on: device, of: self)
  }

  /// Closes the device, then calls `done`. If a playback needs the device, the device stays open
  /// and `done` is called soon.
  package func close(_ done: @escaping @Sendable () -> Void) { device.close(done) }
}

/// One sound of a hosted player. It can be played, stopped and played again.
///
/// Every call returns immediately. The player's thread reports the results.
package final class HostedPlay: Sendable {
  private let entry: HostedEntry
  private let device: HostedDevice
  /// The player. While this reference exists, the device stays open for some time after a sound.
  private let player: HostedPlayer

  init(_ entry: HostedEntry, on device: HostedDevice, of player: HostedPlayer) {
    self.entry = entry
    self.device = device
    self.player = player
  }

  deinit { device.release(entry) }
}

extension HostedPlay {
  /// Opens the device and decodes the sound, so that the next start plays immediately.
  package func prepare(_ done: @escaping @Sendable (SoundError?) -> Void) {
    device.order(entry) { $0.prepare(done) }
  }

  /// Plays from the current position. Calls `done` once the first frame is written, or immediately
  /// if the sound is already playing. If the start fails, calls `done` with the error.
  ///
  /// Returns the number of the play. The handler `ended` gets the same number.
  ///
  /// - Parameter moment: the time of `CLOCK_MONOTONIC` at which the first frame plays.
  @discardableResult
  package func start(
    at moment: Duration? = nil, _ done: @escaping @Sendable (SoundError?) -> Void = { _ in }
  ) -> Int {
    var play = 0
    device.order(entry) { play = $0.start(at: moment?.limited, done) }
    return play
  }

  /// Pauses at the next frame to be rendered; the device stays open.
  package func pause() { device.order(entry) { $0.pause() } }

  /// Stops, and keeps the position.
  ///
  /// - Parameters:
  ///   - fade: the duration of the fade-out; at least a few milliseconds.
  ///   - closing: whether to close the device after the stop, unless another sound needs the
  ///     device.
  ///   - done: called after the last frame has played. With `closing`, called after the device is
  ///     closed, or soon if the device stays open.
  package func stop(
    within fade: Duration = .zero, closing: Bool = false,
    _ done: @escaping @Sendable () -> Void = {}
  ) {
    let done = closing ? { @Sendable [device] in device.close(done) } : done
    device.order(entry) { $0.stop(within: fade.limited, done) }
  }

  /// Moves to `position`. A playing sound continues there.
  package func seek(to position: Duration) {
    device.order(entry) { $0.seek(to: position.limited) }
  }

  /// Fades to a gain; 1 leaves the samples unchanged.
  package func setVolume(_ volume: Float, within fade: Duration = .zero) {
    device.order(entry) { $0.playback.setVolume(volume, within: fade.limited) }
  }

  /// Sets the pan, from −1 (left) to 1 (right).
  package func setPan(_ pan: Float) {
    device.order(entry) { $0.configure { $0.pan = pan } }
  }

  /// Sets the number of times that the sound starts again after its end; nil means no limit.
  package func setRepeats(_ repeats: Int?) {
    device.order(entry) { $0.set(repeats: repeats) }
  }

  /// Turns the measurement of the loudness of each channel on or off.
  package func measure(_ isOn: Bool) {
    device.order(entry) { $0.configure { $0.isMeasured = isOn } }
  }

  /// Turns level reports on or off. If they are on, the handler `levels` is called every 50 ms
  /// while the sound plays.
  package func reportLevels(_ isOn: Bool) {
    device.order(entry) { $0.configure { $0.reportsLevels = isOn } }
  }

  /// Calls `done` once all earlier orders have been carried out.
  package func whenSettled(_ done: @escaping @Sendable () -> Void) {
    device.order(entry) { $0.callers.add(.settled) { _ in done() } }
  }
}

extension HostedPlay {
  /// The state that the caller requested last, or `ended` after the play has ended or failed.
  package var state: PlaybackState { device.read { entry.state } }

  /// Whether the sound has played to its end, and was not started or moved since.
  package var isAtEnd: Bool { device.read { entry.isAtEnd } }

  /// The position in the sound that is audible now.
  package var position: Duration { device.read { entry.position } }

  /// The loudness of the last 50 ms, or silence if it is not measured.
  package var levels: VoiceLevels {
    device.read { entry.playback.report?.levels ?? .silence }
  }
}

extension Duration {
  /// The duration, limited to the range from 0 to 100 years. A much longer time would overflow a
  /// count of nanoseconds or frames.
  fileprivate var limited: Duration { min(max(.zero, self), .seconds(100 * 365 * 86_400)) }
}
