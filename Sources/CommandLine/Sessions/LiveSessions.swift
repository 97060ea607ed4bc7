internal import Audio
internal import Control
internal import Linux
internal import Permission
internal import Store

/// The recordings and meters that run while permission is removed, to wait for their end.
///
/// They are listed after the refusal is stored: a session publishes its record and then asks, so
/// one that is not listed then is refused. Those listed before count too, because they may have
/// ended in between.
struct LiveSessions {
  private let store: SessionStore?
  private let before: [Listener]
  /// The length of the catalogue before: a take that started and ended in between is behind it.
  private let catalogueLength: Int64

  /// The time for sessions to complete their files.
  private static let patience = Duration.seconds(5)
  /// The limit of further listings, in case sessions start all the time.
  private static let mostRounds = 8

  /// The sessions that ended, and those that still use the microphone.
  struct Outcome {
    var stopped = StoppedSessions()
    var inUse: [MicrophoneUse] = []
  }

  /// Lists the sessions before the refusal is stored.
  init() {
    store = (try? SessionPaths.current()).map { SessionStore($0) }
    before = store?.listeners ?? []
    catalogueLength = store?.catalogueLength ?? 0
  }

  /// Waits until the sessions of a client end by themselves, as each does without permission;
  /// called after the refusal is stored.
  func ended(of client: Client, killing: Bool) -> Outcome {
    guard let store else { return Outcome() }
    var ending = Ending(
      store: store, deadline: KernelClock.monotonic.now + Self.patience, killing: killing)
    for listener in before where listener.record.isOf(client) { ending.take(listener) }
    var latest: [Listener] = []
    for _ in 0..<Self.mostRounds {
      latest = store.listeners
      let new = latest.filter { $0.record.isOf(client) && !ending.knows($0.record) }
      if new.isEmpty { break }
      for listener in new { ending.take(listener) }
    }
    for take in store.takes(after: catalogueLength)
    where client == .everyone || take.client == client.name {
      ending.take(take)
    }
    let isLeft = { (listener: Listener) in
      !listener.record.isOf(client) || ending.goesOn(listener.record)
    }
    return Outcome(stopped: ending.sessions, inUse: latest.filter(isLeft).map(MicrophoneUse.init))
  }
}

/// The end of several sessions, each of which is reported once.
private struct Ending {
  let store: SessionStore
  let deadline: Duration
  let killing: Bool
  private(set) var sessions = StoppedSessions()
  private var known: Set<String> = []
  private var left: Set<String> = []

  init(store: SessionStore, deadline: Duration, killing: Bool) {
    self.store = store
    self.deadline = deadline
    self.killing = killing
  }

  func knows(_ record: SessionRecord) -> Bool { known.contains(record.identifier) }

  /// True if the session was found to continue.
  func goesOn(_ record: SessionRecord) -> Bool { left.contains(record.identifier) }

  /// Waits for the end of one session and notes its outcome.
  mutating func take(_ listener: Listener) {
    let record = listener.record
    guard known.insert(record.identifier).inserted else { return }
    if listener.host == nil, mayListen(record) {
      left.insert(record.identifier)
      sessions.continuing.append(described(listener))
    } else if store.hasEnded(listener, waitingUpTo: max(.zero, timeLeft)) {
      tell(listener)
    } else if killing, listener.host == nil, kill(record) {
      sessions.killed.append(described(listener, record.part))
    } else {
      left.insert(record.identifier)
      sessions.unconfirmed.append(described(listener))
      if let name = listener.host?.name, !sessions.unreachable.contains(name) {
        sessions.unreachable.append(name)
      }
    }
  }

  /// Notes a take that only the catalogue has.
  mutating func take(_ result: RecordingResult) {
    guard result.reason == .permission, known.insert(result.identifier).inserted else { return }
    sessions.confirmed.append(Self.described(result.name, result.path))
  }

  private mutating func tell(_ listener: Listener) {
    let identifier = listener.record.identifier
    let stores = [store] + (listener.host == nil ? [] : store.others)
    let result = stores.lazy.compactMap { $0.result(identifiedBy: identifier) }.first
    guard let result else {
      sessions.empty.append(described(listener))
      return
    }
    sessions.confirmed.append(described(listener, result.path))
  }

  private var timeLeft: Duration { deadline - KernelClock.monotonic.now }

  /// True if the session says that it keeps its permission, as by a policy for its device, which
  /// only the session knows.
  private func mayListen(_ record: SessionRecord) -> Bool {
    guard record.socket != nil else { return false }
    let limit = max(.milliseconds(200), timeLeft)
    do throws(ControlError) {
      var client = try store.connect(to: record, waitingUpTo: limit)
      _ = try client.ask(SessionVerb.permission.rawValue, waitingUpTo: limit)
      return true
    } catch {
      return false
    }
  }

  /// Kills the process if it is still the one that recorded, and does nothing else.
  private func kill(_ record: SessionRecord) -> Bool {
    // The host of an embedded recording would lose more than the recording.
    guard !record.isHosted else { return false }
    do throws(SystemError) {
      let process = try OtherProcess(record.process)
      guard try process.owner() == Environment.effectiveUser,
        try process.started() == record.started
      else { return false }
      try process.send(.kill)
      return try process.descriptor.wait(upTo: .seconds(1))
    } catch {
      return error.errno == .noSuchProcess
    }
  }

  private func described(_ listener: Listener, _ path: String? = nil) -> String {
    switch listener.kind {
    case .recording:
      Self.described(listener.record.name, path)
        + (listener.host.map { " on \(quoted($0.name))" } ?? "")
    case .meter: "a meter of \(quoted(listener.record.device))"
    }
  }

  private static func described(_ name: String, _ path: String?) -> String {
    quoted(name) + (path.map { " in \(quoted($0))" } ?? "")
  }
}

extension SessionRecord {
  fileprivate func isOf(_ client: Client) -> Bool {
    client == .everyone || self.client == client.name
  }
}
