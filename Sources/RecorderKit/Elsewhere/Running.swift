internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Store
internal import Takes

/// The recordings of this user in all programs, including this one.
public enum Running {
  /// The recordings that are running now.
  public static var takes: [RemoteTake] {
    get async {
      await onThread("running") {
        guard let paths = try? SessionPaths.current() else { return [] }
        let store = MachineStore(paths)
        return store.sessions.records.compactMap { record in
          guard let name = SessionName(record.name), store.sessions.isLive(name) else { return nil }
          return RemoteTake(record, name)
        }
      }
    }
  }
}

/// A recording of any program of this user, reached through its socket.
public struct RemoteTake: Sendable, Identifiable {
  /// The unique identifier of the recording.
  public let id: String
  /// The name in `recorder status`.
  public let name: String
  /// The process ID of the program that records.
  public let process: Int32
  /// The capture device.
  public let device: Device
  /// The path that the file gets when it is complete, or nil for a recording into a pipe.
  public let path: String?
  /// The client whose permission the recording uses, or nil if the recording has no client.
  public let client: Microphone.Client?
  let session: SessionName

  init(_ record: SessionRecord, _ name: SessionName) {
    id = record.identifier
    self.name = record.name
    process = record.process
    device = Device(record.device)
    path = record.path
    client = record.client.flatMap { Microphone.Client($0) }
    session = name
  }
}

extension RemoteTake {
  /// The status of a recording of any program.
  public struct Status: Hashable, Sendable {
    /// The state of the recording.
    public var state: Take.State
    /// The length recorded so far.
    public var duration: Duration
    /// The level of the last few milliseconds, or nil while the recording is paused.
    public var level: Level?
  }

  /// The current status. Throws `alreadyEnded` if the recording has ended.
  public var status: Status {
    get async throws(RecorderError) { try Status(await ask(.status)) }
  }

  /// Pauses the recording.
  public func pause() async throws(RecorderError) { _ = try await ask(.pause) }

  /// Resumes the recording.
  public func resume() async throws(RecorderError) { _ = try await ask(.resume) }

  /// Sets a mark now, and returns its position in the file. Returns zero while the recording waits
  /// for a trigger or for its device.
  @discardableResult
  public func mark(_ text: String = "") async throws(RecorderError) -> Duration {
    let reply = try await ask(.mark, ["text": text.json])
    return reply["mark"]?["time"].flatMap(Duration.init(json:)) ?? .zero
  }

  /// Continues the recording in a new file.
  public func split() async throws(RecorderError) { _ = try await ask(.split) }

  /// Ends the recording, and returns once its file is complete.
  @discardableResult
  public func stop() async throws(RecorderError) -> Take.Result {
    let session = session
    let reply = try await ask(.stop, waitingUpTo: nil)
    guard let result = RecordingResult(json: .object(reply)) else { throw Self.newer }
    await onThread("running") {
      guard let paths = try? SessionPaths.current() else { return }
      MachineStore(paths).sessions.consume(result, of: session)
    }
    return Take.Result(result)
  }

  private func ask(
    _ verb: SessionVerb, _ arguments: JSONObject = [:], waitingUpTo limit: Duration? = .seconds(5)
  ) async throws(RecorderError) -> JSONObject {
    return try await onThread("running") { () throws(RecorderError) in
      try reach { (client: consuming ControlClient) throws(ControlError) in
        try client.ask(verb.rawValue, arguments, waitingUpTo: limit)
      }
    }
  }

  /// Connects to the recording, and passes the connection to `request`. Blocks the thread. Throws
  /// `alreadyEnded` if the recording has ended, or refuses the request because it is ending.
  func reach<Value: ~Copyable>(
    _ request: (consuming ControlClient) throws(ControlError) -> Value
  ) throws(RecorderError) -> Value {
    let client = try connect()
    do throws(ControlError) {
      return try request(client)
    } catch {
      if case .refused(let refusal) = error, refusal.exit == Outcome.notFound.rawValue, isEnding {
        throw .ended
      }
      throw RecorderError(error)
    }
  }

  /// Whether the recording has ended, or accepts no more requests.
  private var isEnding: Bool {
    do throws(RecorderError) {
      var client = try connect()
      let answer = try? client.ask(SessionVerb.status.rawValue)
      return answer.flatMap { RecordingStatus(json: .object($0)) }?.state == .finishing
    } catch {
      return error == .ended
    }
  }

  /// Connects to the recording. Blocks the thread.
  func connect() throws(RecorderError) -> ControlClient {
    guard let paths = try? SessionPaths.current() else { throw .ended }
    let sessions = MachineStore(paths).sessions
    guard let record = sessions.record(of: session), record.identifier == id else {
      throw .ended
    }
    return try translated { try sessions.connect(to: record) }
  }

  /// The outcome of the recording, once it has closed the connection. Blocks the thread.
  var end: SessionEnd {
    guard let paths = try? SessionPaths.current() else { return .unknown }
    return MachineStore(paths).sessions.end(of: id, called: session)
  }

  fileprivate static let newer = RecorderError.system(
    "the recording belongs to another version of recorder; “recorder stop” ends it")
}

extension RemoteTake.Status {
  fileprivate init(_ reply: JSONObject) throws(RecorderError) {
    guard let status = RecordingStatus(json: .object(reply)) else { throw RemoteTake.newer }
    let state: Take.State =
      switch status.state {
      case .starting, .armed, .recording: .recording
      case .paused: .paused
      case .finishing: .finishing
      }
    self.init(
      state: state,
      duration: status.facts.frames.onDisk.duration(at: status.facts.stream.rate),
      level: status.level.map(Level.init))
  }
}
