internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Store
internal import Takes

/// The recordings of this user in all programs, this one included.
public enum Running {
  /// The recordings that run now.
  public static var takes: [RemoteTake] {
    get async {
      await onThread("running") {
        guard let paths = try? SessionPaths.current() else { return [] }
        let store = SessionStore(paths)
        return store.records.compactMap { record in
          guard let name = SessionName(record.name), store.isLive(name) else { return nil }
          return RemoteTake(record, name)
        }
      }
    }
  }
}

/// A recording of any program of this user, reached through its socket.
public struct RemoteTake: Sendable, Identifiable {
  /// The identifier of the recording, which no other has.
  public let id: String
  /// The name in `recorder status`.
  public let name: String
  /// The number of the process that records.
  public let process: Int32
  /// The device that it records from.
  public let device: Device
  /// The file that it is going to be; nil for one that goes to a pipe.
  public let path: String?
  /// The client in whose name it records; nil where it has none.
  public let client: Microphone.Client?
  private let session: SessionName

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
  /// The state of a recording of another program.
  public struct Status: Hashable, Sendable {
    /// The stage that it is at.
    public var state: Take.State
    /// The length recorded so far.
    public var duration: Duration
    /// The level of the last few milliseconds.
    public var level: Level
  }

  /// The present state; throws `ended` where it runs no more.
  public var status: Status {
    get async throws(RecorderError) { try Status(await ask(.status)) }
  }

  /// Pauses it.
  public func pause() async throws(RecorderError) { _ = try await ask(.pause) }

  /// Resumes it.
  public func resume() async throws(RecorderError) { _ = try await ask(.resume) }

  /// Marks this moment, and returns its place in the file.
  @discardableResult
  public func mark(_ text: String = "") async throws(RecorderError) -> Duration {
    let reply = try await ask(.mark, ["text": text.json])
    return reply["mark"]?["time"].flatMap(Duration.init(json:)) ?? .zero
  }

  /// Continues it in a new file.
  public func split() async throws(RecorderError) { _ = try await ask(.split) }

  /// Ends it, and returns once its file is complete.
  @discardableResult
  public func stop() async throws(RecorderError) -> Take.Result {
    let session = session
    let reply = try await ask(.stop, waitingUpTo: nil)
    guard let result = RecordingResult(json: .object(reply)) else { throw Self.newer }
    await onThread("running") {
      guard let paths = try? SessionPaths.current() else { return }
      SessionStore(paths).consume(result, of: session)
    }
    return Take.Result(result)
  }

  private func ask(
    _ verb: SessionVerb, _ arguments: JSONObject = [:], waitingUpTo limit: Duration? = .seconds(5)
  ) async throws(RecorderError) -> JSONObject {
    let (id, session) = (id, session)
    let reply = await onThread("running") {
      Self.reply(of: session, id, to: verb, arguments, limit)
    }
    return try reply.get()
  }

  /// Asks on a thread that may wait.
  private static func reply(
    of name: SessionName, _ id: String, to verb: SessionVerb, _ arguments: JSONObject,
    _ limit: Duration?
  ) -> Result<JSONObject, RecorderError> {
    guard let paths = try? SessionPaths.current() else { return .failure(.ended) }
    let store = SessionStore(paths)
    guard let record = store.record(of: name), record.identifier == id else {
      return .failure(.ended)
    }
    do throws(ControlError) {
      var client = try store.connect(to: record)
      return .success(try client.ask(verb.rawValue, arguments, waitingUpTo: limit))
    } catch {
      return .failure(RecorderError(error))
    }
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
      level: Level(status.level))
  }
}

extension RecorderError {
  fileprivate init(_ error: ControlError) {
    switch error {
    case .notRunning, .closed: self = .ended
    case .refused(let refusal) where refusal.exit == Outcome.notFound.rawValue: self = .ended
    case .refused(let refusal): self = .system(refusal.message)
    default: self = .system("the recording does not answer: \(error)")
    }
  }
}
