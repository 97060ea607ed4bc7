internal import Hosting
internal import Sounds
internal import Synchronization

/// A playback device that plays any number of sounds at the same time.
///
/// The first sound opens the device. The device closes 20 seconds after the last sound. The sound
/// server mixes the sounds of several players and programs.
///
/// ```swift
/// try await Player.shared.play(.named("done"))            // cancelling the task fades it out
/// let rain = try await Player.shared.start(.file("rain.flac"), repeating: .forever)
/// rain.setVolume(0.2, within: .seconds(2))
/// ```
public final class Player: Sendable {
  /// The player of the default device, for the whole program.
  public static let shared = Player()

  /// The playback device.
  public let device: Device
  private let hosted = Mutex<HostedPlayer?>(nil)

  /// The duration of the fade-out of a cancelled sound.
  private static let cancelFade = Duration.milliseconds(150)

  /// Creates a player for a device, without opening it.
  public init(on device: Device = .defaultSpeaker) { self.device = device }

  /// Plays a sound to its end. Cancelling the task fades the sound out and is not an error.
  ///
  /// - Parameters:
  ///   - repetition: the total number of plays.
  ///   - volume: the gain as a factor; 1 leaves the samples unchanged. Samples beyond full scale
  ///     are limited.
  public func play(
    _ sound: Sound, repeating repetition: Repetition = .once, volume: Double = 1
  ) async throws(RecorderError) {
    if Task.isCancelled { return }
    let playback = try playback(of: sound, repeating: repetition, volume: volume)
    let start = playback.beginning()
    let end = await withTaskCancellationHandler {
      if let error = await start.value { return Playback.End.failed(error) }
      return await playback.waitUntilEnded()
    } onCancel: {
      playback.stop(within: Self.cancelFade)
    }
    if case .failed(let error) = end { throw error }
  }

  /// Plays a sound, and returns once its first frame is written. If the task is cancelled before
  /// the first frame, the sound is stopped, and `start` throws `alreadyEnded`.
  ///
  /// - Parameters:
  ///   - repetition: the total number of plays.
  ///   - volume: the gain as a factor; 1 leaves the samples unchanged.
  ///   - instant: the time at which the first frame plays, or nil to play immediately. Sounds with
  ///     the same time begin at the same frame.
  public func start(
    _ sound: Sound, repeating repetition: Repetition = .once, volume: Double = 1,
    at instant: SuspendingClock.Instant? = nil
  ) async throws(RecorderError) -> Playback {
    let playback = try playback(of: sound, repeating: repetition, volume: volume)
    try await playback.start(at: instant)
    return playback
  }

  /// Returns a stopped playback at the beginning of a sound.
  ///
  /// The device is not opened before `prepare` or the first start of the playback.
  public func playback(
    of sound: Sound, repeating repetition: Repetition = .once, volume: Double = 1
  ) throws(RecorderError) -> Playback {
    if case .times(let times) = repetition, !(1...1_000_000).contains(times) {
      throw .invalid("a sound can be played 1 to 1,000,000 times, not \(times) times")
    }
    let playback = Playback(of: sound, on: try hostedPlayer())
    playback.repetition = repetition
    playback.volume = volume
    return playback
  }

  /// Closes the device, unless a sound on it is playing, paused or prepared.
  public func close() async {
    guard let player = hosted.withLock({ $0 }) else { return }
    await withCheckedContinuation { waiting in player.close { waiting.resume() } }
  }

  private func hostedPlayer() throws(RecorderError) -> HostedPlayer {
    if let player = hosted.withLock({ $0 }) { return player }
    holdStandardStreams()
    let player = try translated { try HostedPlayer(HostedPlayerSettings(device: device.id)) }
    return hosted.withLock { held in
      if let held { return held }
      held = player
      return player
    }
  }
}
