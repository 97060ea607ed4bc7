internal import Hosting
internal import Linux
internal import Sounds
internal import Synchronization

/// One playback device, on which any number of sounds play at once.
///
/// The device is opened by the first sound and closed 20 seconds after the last. What several
/// players and programs play is mixed by the sound server.
///
/// ```swift
/// try await Player.shared.play(.named("done"))            // cancelling the task fades it out
/// let rain = try await Player.shared.start(.file("rain.flac"), times: nil)
/// rain.setVolume(0.2, within: .seconds(2))
/// ```
public final class Player: Sendable {
  /// The player of the default device, for all parts of a program.
  public static let shared = Player()

  /// The device that it plays on.
  public let device: Device
  private let hosted = Mutex<HostedPlayer?>(nil)

  /// The time in which a cancelled sound falls silent.
  private static let farewell = Duration.milliseconds(150)

  /// A player for a device, which is not opened yet.
  public init(on device: Device = .defaultSpeaker) { self.device = device }

  /// Plays a sound to its end; cancelling the task fades it out, and is no error.
  ///
  /// - Parameters:
  ///   - times: the number of plays in total; 1 to 1,000,000.
  ///   - volume: a factor, 1 leaving the samples as they are; loud ones are limited to full scale.
  public func play(
    _ sound: Sound, times: Int = 1, volume: Double = 1
  ) async throws(RecorderError) {
    if Task.isCancelled { return }
    let playback = try playback(of: sound, times: times, volume: volume)
    let start = playback.beginning()
    let end = await withTaskCancellationHandler {
      if let error = await start.value { return Playback.End.failed(error) }
      return await playback.end
    } onCancel: {
      playback.stop(within: Self.farewell)
    }
    if case .failed(let error) = end { throw error }
  }

  /// Plays a sound, and returns once its first frame is written.
  ///
  /// - Parameters:
  ///   - times: the number of plays in total; nil plays it until it is stopped.
  ///   - volume: a factor, 1 leaving the samples as they are.
  ///   - moment: the time of `clock` at which its first frame is to be heard; sounds with the same
  ///     moment begin with the same frame.
  public func start(
    _ sound: Sound, times: Int? = 1, volume: Double = 1, at moment: Duration? = nil
  ) async throws(RecorderError) -> Playback {
    let playback = try playback(of: sound, times: times, volume: volume)
    try await playback.start(at: moment)
    return playback
  }

  /// A playback of a sound at its beginning, which is silent until it is started.
  ///
  /// Nothing is opened: `prepare` of the playback does that, or its start.
  public func playback(
    of sound: Sound, times: Int? = 1, volume: Double = 1
  ) throws(RecorderError) -> Playback {
    if let times, !(1...1_000_000).contains(times) {
      throw .invalid("a sound is played 1 to 1000000 times, not \(times)")
    }
    let playback = Playback(of: sound, on: try hostedPlayer())
    playback.repeats = times.map { $0 - 1 }
    playback.volume = volume
    return playback
  }

  /// The time by which starts are ordered; it grows steadily and never goes back.
  public var clock: Duration { KernelClock.monotonic.now }

  /// Closes the device, unless something plays or is paused on it.
  public func close() async {
    guard let player = hosted.withLock({ $0 }) else { return }
    await withCheckedContinuation { waiting in player.close { waiting.resume() } }
  }

  private func hostedPlayer() throws(RecorderError) -> HostedPlayer {
    if let player = hosted.withLock({ $0 }) { return player }
    let player: HostedPlayer
    do throws(SoundError) {
      player = try HostedPlayer(HostedPlayerSettings(device: device.name))
    } catch {
      throw RecorderError(error)
    }
    return hosted.withLock { held in
      if let held { return held }
      held = player
      return player
    }
  }
}
