internal import Control
internal import Glibc
internal import Hosting
internal import JSON
internal import Linux
internal import Sounds
internal import Store

extension Running {
  /// Returns the player that `recorder play` and all other programs of this user share. If the
  /// player is not running, starts it from the installed program.
  public static func player() async throws(RecorderError) -> RemotePlayer {
    let player = RemotePlayer()
    try await player.ask("status")
    return player
  }
}

/// The player that all programs of this user share.
///
/// A name with a slash is the path of a file. A relative path is resolved against the working
/// directory of this program. The player uses the absolute path as the name of the sound.
///
/// Other programs and `recorder sound` can stop, pause and continue the sounds of this player. A
/// sound that was started with `detached` continues after this program has ended.
public struct RemotePlayer: Sendable {
  /// The status of one sound of the player.
  public struct Status: Hashable, Sendable, Identifiable {
    /// The name that was used to play the sound, or the absolute path of its file.
    public let name: String
    /// The playback device.
    public let device: Device
    /// The state.
    public let state: Playback.State
    /// The position in the sound.
    public let position: Duration
    /// The duration of the sound.
    public let duration: Duration
    /// The gain as a factor.
    public let volume: Double
    /// Whether the sound is muted.
    public let isMuted: Bool

    /// The name and the device.
    public var id: [String] { [name, device.id] }
  }

  /// The sounds that were played recently, on all devices.
  public var sounds: [Status] {
    get async throws(RecorderError) {
      let reply = try await ask("status")
      return ([SoundStatus](json: reply["sounds"] ?? .array([])) ?? []).map(Status.init)
    }
  }

  /// Plays a sound to its end: a named sound, or a file if `name` contains a slash. Cancelling the
  /// task fades the sound out.
  ///
  /// - Parameters:
  ///   - repetition: the total number of plays, limited to 1,000,000.
  ///   - volume: the gain for this play, limited to 0 to 1; nil uses the gain that is remembered
  ///     for `name`.
  ///   - detached: whether to return after the first frame, while the sound continues.
  public func play(
    _ name: String, on device: Device = .defaultSpeaker, repeating repetition: Repetition = .once,
    volume: Double? = nil, detached: Bool = false
  ) async throws(RecorderError) {
    var order = PlayOrder([WantedSound(named: name)], on: device.id)
    order.environment = try Self.environment()
    order.times = min(max(repetition.plays ?? 1, 1), 1_000_000)
    order.loops = repetition == .forever
    order.volume = volume.map { min(max($0, 0), 1) }
    order.waits = !detached
    try await ask("play", order.json.object ?? [:], waitingUpTo: nil)
  }

  /// Stops a sound, or all sounds if `name` is nil, and keeps the position.
  public func stop(_ name: String? = nil) async throws(RecorderError) {
    try await send(.stop, name)
  }
  /// Pauses a sound, or all sounds if `name` is nil.
  public func pause(_ name: String? = nil) async throws(RecorderError) {
    try await send(.pause, name)
  }
  /// Continues a sound, or all sounds if `name` is nil.
  public func resume(_ name: String? = nil) async throws(RecorderError) {
    try await send(.resume, name)
  }
  /// Plays a sound from its beginning.
  public func replay(_ name: String) async throws(RecorderError) { try await send(.replay, name) }

  /// Moves a sound to a position.
  public func seek(_ name: String, to position: Duration) async throws(RecorderError) {
    try await send(.seek, name, ["to": max(.zero, position).json])
  }

  /// Sets the volume of the sound with this name, from 0 to 1. The volume is remembered for later
  /// plays.
  public func setVolume(
    of name: String, to volume: Double, within fade: Duration = .zero
  ) async throws(RecorderError) {
    try await send(
      .volume, name, ["factor": min(max(volume, 0), 1).json, "fade": max(.zero, fade).json])
  }

  /// Mutes or unmutes the sound with this name. The setting is remembered for later plays.
  public func mute(_ name: String, _ isMuted: Bool = true) async throws(RecorderError) {
    try await send(isMuted ? .mute : .unmute, name)
  }
}

extension RemotePlayer {
  private func send(
    _ verb: PlayerVerb, _ name: String?, _ more: JSONObject = [:]
  ) async throws(RecorderError) {
    var members = more
    members["environment"] = try Self.environment().object
    members.set("name", name.map { WantedSound(named: $0).name })
    try await ask(verb.rawValue, members)
  }

  private static func environment() throws(RecorderError) -> PlayerEnvironment {
    try translated { try PlayerEnvironment.current() }
  }

  /// Sends a request on a separate thread, because the call blocks. Cancelling the task closes the
  /// connection.
  @discardableResult
  fileprivate func ask(
    _ verb: String, _ arguments: JSONObject = [:], waitingUpTo limit: Duration? = .seconds(5)
  ) async throws(RecorderError) -> JSONObject {
    let connection = Endable<CInt>()
    let answer = await withTaskCancellationHandler {
      await onThread("player") { Self.answer(to: verb, arguments, limit, over: connection) }
    } onCancel: {
      // This also ends the play that the request waits for.
      connection.end { _ = shutdown($0, CInt(SHUT_RDWR)) }
    }
    return try answer.get()
  }

  private static func answer(
    to verb: String, _ arguments: JSONObject, _ limit: Duration?, over connection: Endable<CInt>
  ) -> Result<JSONObject, RecorderError> {
    do {
      var client = try connect()
      // After the client is closed, its descriptor number may belong to another file.
      defer { connection.set(nil) }
      guard connection.set(client.number) else { return .success([:]) }
      return .success(try client.ask(verb, arguments, waitingUpTo: limit))
    } catch {
      return connection.isOver ? .success([:]) : .failure(RecorderError(player: error))
    }
  }

  /// Connects to the player, and starts it if it is not running.
  private static func connect() throws -> ControlClient {
    guard let paths = try? PlayerPaths(.current(claiming: true)) else {
      throw ControlError.notRunning(path: "the directory of this user")
    }
    if let client = try paths.client() { return client }
    guard let program = InstalledProgram.path else {
      throw ControlError.notRunning(path: paths.socket)
    }
    let lock = try paths.lockStart()
    defer { withExtendedLifetime(lock) {} }
    // Another process may have started the player meanwhile.
    if let client = try paths.client() { return client }
    try PlayerPaths.startPlayer(program)
    guard let client = try paths.client() else {
      throw ControlError.notRunning(path: paths.socket)
    }
    return client
  }
}

extension RemotePlayer.Status {
  init(_ status: SoundStatus) {
    self.init(
      name: status.name, device: Device(status.output), state: Playback.State(status.state),
      position: status.position, duration: status.duration, volume: status.volume,
      isMuted: status.isMuted)
  }
}

extension RecorderError {
  fileprivate init(player error: any Error) {
    switch error {
    case ControlError.refused(let refusal): self = .system(refusal.message)
    case ControlError.notRunning:
      self = .system(
        "no player is running, and none could be started; check that recorder is installed")
    case ControlError.tooLong: self = .system("the name is too long: \(error)")
    default: self = .system("the player did not respond: \(error)")
    }
  }
}
