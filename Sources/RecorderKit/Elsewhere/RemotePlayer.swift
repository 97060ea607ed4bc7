internal import Control
internal import Glibc
internal import Hosting
internal import JSON
internal import Linux
internal import Sounds
internal import Store
internal import Synchronization

extension Running {
  /// The player that plays for all programs of this user, as `recorder play` does; where none runs
  /// it is started, by the engine that is installed.
  public static func player() async throws(RecorderError) -> RemotePlayer {
    let player = RemotePlayer()
    _ = try await player.ask { client throws(ControlError) in try client.ask("status") }
    return player
  }
}

/// The player that all programs of this user share: what it plays, any other program and
/// `recorder sound` can stop, pause and continue, and a sound goes on when this program has ended.
public struct RemotePlayer: Sendable {
  /// One sound of the player.
  public struct Status: Hashable, Sendable, Identifiable {
    /// The name that it was played by, or the path of its file.
    public let name: String
    /// The device that it plays on.
    public let device: Device
    /// The state.
    public let state: Playback.State
    /// The position in the sound.
    public let position: Duration
    /// The time that the sound lasts.
    public let duration: Duration
    /// The factor of the samples.
    public let volume: Double
    /// True where it plays unheard.
    public let isMuted: Bool

    /// The name and the device.
    public var id: [String] { [name, device.name] }
  }

  /// The sounds that were played lately, on all devices.
  public var sounds: [Status] {
    get async throws(RecorderError) {
      let reply = try await ask { client throws(ControlError) in try client.ask("status") }
      return ([SoundStatus](json: reply["sounds"] ?? .array([])) ?? []).map(Status.init)
    }
  }

  /// Plays a sound by its name, or a file by its path with a slash, to its end; cancelling the task
  /// fades it out.
  ///
  /// - Parameters:
  ///   - times: the number of plays in total; nil plays it until somebody stops it.
  ///   - volume: a factor for this play; nil is the one that is remembered for the name.
  ///   - detached: true returns with the first frame, and the sound goes on by itself.
  public func play(
    _ name: String, on device: Device = .defaultSpeaker, times: Int? = 1, volume: Double? = nil,
    detached: Bool = false
  ) async throws(RecorderError) {
    let isFile = name.utf8.contains(UInt8(ascii: "/"))
    let path = isFile ? Program.absolutePath(of: name) : nil
    var order = PlayOrder([WantedSound(name, path: path)], on: device.name)
    order.environment = try Self.environment()
    order.times = min(max(times ?? 1, 1), 1_000_000)
    order.loops = times == nil
    order.volume = volume.map { min(max($0, 0), 1) }
    order.waits = !detached
    let arguments = order.json.object ?? [:]
    _ = try await ask { client throws(ControlError) in
      try client.ask("play", arguments, waitingUpTo: nil)
    }
  }

  /// Stops a sound, or all, and keeps the position.
  public func stop(_ name: String? = nil) async throws(RecorderError) {
    try await tell(.stop, name)
  }
  /// Pauses a sound, or all.
  public func pause(_ name: String? = nil) async throws(RecorderError) {
    try await tell(.pause, name)
  }
  /// Continues a sound, or all.
  public func resume(_ name: String? = nil) async throws(RecorderError) {
    try await tell(.resume, name)
  }
  /// Plays a sound from its beginning.
  public func replay(_ name: String) async throws(RecorderError) { try await tell(.replay, name) }

  /// Moves a sound to a position.
  public func seek(_ name: String, to position: Duration) async throws(RecorderError) {
    try await tell(.seek, name, ["to": max(.zero, position).json])
  }

  /// Sets the volume of a name, from 0 to 1, which is remembered for later plays.
  public func setVolume(
    of name: String, to volume: Double, within fade: Duration = .zero
  ) async throws(RecorderError) {
    try await tell(
      .volume, name, ["factor": min(max(volume, 0), 1).json, "fade": max(.zero, fade).json])
  }

  /// Mutes a name, or lets it be heard again; that is remembered for later plays.
  public func mute(_ name: String, _ isMuted: Bool = true) async throws(RecorderError) {
    try await tell(isMuted ? .mute : .unmute, name)
  }
}

extension RemotePlayer {
  private func tell(
    _ verb: PlayerVerb, _ name: String?, _ more: JSONObject = [:]
  ) async throws(RecorderError) {
    var members = more
    members["environment"] = try Self.environment().object
    members.set("name", name)
    let arguments = members
    _ = try await ask { client throws(ControlError) in try client.ask(verb.rawValue, arguments) }
  }

  private static func environment() throws(RecorderError) -> PlayerEnvironment {
    do {
      let facts = try BaseDirectories.Facts.current()
      return PlayerEnvironment(of: facts, try BaseDirectories(facts))
    } catch {
      throw .system("the directories of this user cannot be told: \(error)")
    }
  }

  /// Asks on a thread that may wait; a task that is cancelled closes the connection.
  fileprivate func ask(
    _ question: @escaping @Sendable (inout ControlClient) throws(ControlError) -> JSONObject
  ) async throws(RecorderError) -> JSONObject {
    let line = Line()
    let answer = await withTaskCancellationHandler {
      await onThread("player") { line.answer(to: question) }
    } onCancel: {
      line.hangUp()
    }
    return try answer.get()
  }
}

/// A connection that another thread may end.
private final class Line: Sendable {
  private struct State {
    var number: CInt?
    var isOver = false
  }

  private let state = Mutex(State())

  /// Ends the connection, and with it the play that it waits for.
  func hangUp() {
    state.withLock { state in
      state.isOver = true
      if let number = state.number { shutdown(number, CInt(SHUT_RDWR)) }
    }
  }

  func answer(
    to question: (inout ControlClient) throws(ControlError) -> JSONObject
  ) -> Result<JSONObject, RecorderError> {
    do throws(ControlError) {
      var client = try PlayerConnection.open()
      let isOver = state.withLock { state in
        state.number = client.number
        return state.isOver
      }
      // The number is another file's as soon as the client is gone.
      defer { state.withLock { $0.number = nil } }
      return isOver ? .success([:]) : .success(try question(&client))
    } catch {
      if state.withLock({ $0.isOver }) { return .success([:]) }
      return .failure(RecorderError(player: error))
    }
  }
}

/// The way to the player, which is started where there is none.
private enum PlayerConnection {
  /// Longer than a process takes to start on a busy machine.
  private static let patience = Duration.seconds(15)

  static func open() throws(ControlError) -> ControlClient {
    let paths: PlayerPaths
    do throws(DirectoryRefusal) {
      paths = try .current(claiming: true)
    } catch {
      throw .notRunning(path: "the directory of this user")
    }
    if let client = try running(paths) { return client }
    guard let engine = InstalledEngine.path else { throw .notRunning(path: paths.socket) }
    do throws(SystemError) {
      try start(engine)
    } catch {
      throw .system(error)
    }
    guard let client = try running(paths) else { throw .notRunning(path: paths.socket) }
    return client
  }

  private static func running(_ paths: PlayerPaths) throws(ControlError) -> ControlClient? {
    for path in paths.sockets {
      do throws(ControlError) {
        return try ControlClient(connectingTo: path)
      } catch {
        switch error {
        // A player that is ending closes new connections.
        case .notRunning, .closed: continue
        default: throw error
        }
      }
    }
    return nil
  }

  /// Starts the player and waits until it listens; of several that start, one stays.
  private static func start(_ engine: String) throws(SystemError) {
    let ends = try Descriptor.pipe().release()
    let reading = Descriptor(owning: ends.reading)
    let writing = Descriptor(owning: ends.writing)
    var spawn = Spawn(engine, ["player", "--detached"])
    spawn.startsSession = true
    spawn.directory = "/"
    spawn.descriptors = [nil, nil, nil, writing.number]
    _ = try spawn.start()
    _ = consume writing
    guard try reading.wait(upTo: patience) else {
      throw SystemError("read", "player", errno: .timedOut)
    }
  }
}

extension RemotePlayer.Status {
  init(_ status: SoundStatus) {
    let state: Playback.State =
      switch status.state {
      case .stopped: .stopped
      case .playing: .playing
      case .paused: .paused
      case .ended: .ended
      }
    self.init(
      name: status.name, device: Device(status.output), state: state, position: status.position,
      duration: status.duration, volume: status.volume, isMuted: status.isMuted)
  }
}

extension RecorderError {
  fileprivate init(player error: ControlError) {
    switch error {
    case .refused(let refusal): self = .system(refusal.message)
    case .notRunning:
      self = .system("no player runs, and none can be started without recorder installed")
    default: self = .system("the player does not answer: \(error)")
    }
  }
}
