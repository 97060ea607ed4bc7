internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Permission
internal import Store
internal import Takes

/// The recordings and meters that run while permission is removed.
///
/// Sessions are listed twice: before and after the refusal is stored. Only the first list has the
/// sessions that end before the second list is made. A session that publishes its record after the
/// second list is in neither list. But it is refused, because a session checks its permission only
/// after it has published its record.
struct LiveSessions {
  private let store: MachineStore?
  private let before: [Listener]
  /// The length of the catalogue before the change. The entry of a take that started and ended
  /// since then is after this offset.
  private let catalogueLength: Int64

  /// The time limit for sessions to complete their files.
  private static let patience = Duration.seconds(5)
  /// The highest number of further lists, in case sessions keep starting.
  private static let mostRounds = 8

  /// The sessions that the refusal affects, and the listeners that still record.
  struct Outcome {
    var stopped = StoppedSessions()
    var inUse: [Listener] = []
  }

  /// Lists the sessions before the refusal is stored.
  init() {
    store = (try? SessionPaths.current()).map { MachineStore($0) }
    before = store?.sessions.listeners ?? []
    catalogueLength = store?.catalogue.length ?? 0
  }

  /// Waits until the sessions in a scope end by themselves, as each session does without
  /// permission. If `killing` is true, kills sessions of this machine that do not end in time. Call
  /// this function after the refusal is stored.
  func ended(in scope: Scope, killing: Bool) -> Outcome {
    guard let store else { return Outcome() }
    var ending = Ending(
      store: store, scope: scope, deadline: KernelClock.monotonic.now + Self.patience,
      killing: killing)
    for listener in before where scope.includes(listener.record) { ending.take(listener) }
    var latest: [Listener] = []
    for _ in 0..<Self.mostRounds {
      latest = store.sessions.listeners
      let new = latest.filter { scope.includes($0.record) && !ending.knows($0.record) }
      if new.isEmpty { break }
      for listener in new { ending.take(listener) }
    }
    for take in store.catalogue.takes(after: catalogueLength)
    where scope.includes(take.client, take.tracks) {
      ending.take(take)
    }
    let isLeft = { (listener: Listener) in
      !scope.includes(listener.record) || ending.goesOn(listener.record)
    }
    return Outcome(stopped: ending.sessions, inUse: latest.filter(isLeft))
  }
}

/// The end of several sessions. Each session is reported once.
private struct Ending {
  let store: MachineStore
  let scope: Scope
  let deadline: Duration
  let killing: Bool
  private(set) var sessions = StoppedSessions()
  private var known: Set<Path> = []
  private var left: Set<Path> = []

  init(store: MachineStore, scope: Scope, deadline: Duration, killing: Bool) {
    self.store = store
    self.scope = scope
    self.deadline = deadline
    self.killing = killing
  }

  func knows(_ record: SessionRecord) -> Bool { known.contains(name: record.identifier) }

  /// Returns whether the session was still recording when `take` returned.
  func goesOn(_ record: SessionRecord) -> Bool { left.contains(name: record.identifier) }

  /// Waits for the end of one session, and records its outcome.
  mutating func take(_ listener: Listener) {
    let record = listener.record
    guard known.insert(Path(record.identifier)).inserted else { return }
    if listener.kind == .reader {
      take(reader: listener)
    } else if listener.host == nil, let tracks = continuing(record) {
      left.insert(Path(record.identifier))
      if tracks.contains(where: { $0.ended != nil && scope.services.contains($0.service) }) {
        sessions.silenced.append(described(listener))
      } else {
        sessions.continuing.append(described(listener))
      }
    } else if store.sessions.hasEnded(listener, waitingUpTo: max(.zero, timeLeft)) {
      recordEnd(of: listener)
    } else if killing, listener.host == nil, kill(record) {
      sessions.killed.append(described(listener, record.part))
    } else {
      left.insert(Path(record.identifier))
      sessions.unconfirmed.append(described(listener))
      if let name = listener.host?.name, !sessions.unreachable.contains(name: name) {
        sessions.unreachable.append(name)
      }
    }
  }

  /// Waits until the session of a recording has checked a reader, and records the outcome. When the
  /// session answers a request, it has already ended the readers that have no permission.
  private mutating func take(reader: Listener) {
    let session = SessionName(reader.record.name).flatMap(store.sessions.record)
    let isChecked = session.flatMap { continuing($0) } != nil
    let limit = isChecked ? .zero : max(.zero, timeLeft)
    if store.sessions.hasEnded(reader, waitingUpTo: limit) {
      sessions.empty.append(described(reader))
    } else {
      left.insert(Path(reader.record.identifier))
      if isChecked {
        sessions.continuing.append(described(reader))
      } else {
        sessions.unconfirmed.append(described(reader))
      }
    }
  }

  /// Records a take that ended because it lost its permission, and whose session is in none of the
  /// lists.
  mutating func take(_ result: RecordingResult) {
    guard result.reason == .permission, known.insert(Path(result.identifier)).inserted
    else { return }
    sessions.confirmed.append(Self.described(result.name, result.path))
  }

  private mutating func recordEnd(of listener: Listener) {
    let identifier = listener.record.identifier
    let stores = [store] + (listener.host == nil ? [] : store.others)
    let result = stores.lazy.compactMap { $0.catalogue.result(identifiedBy: identifier) }.first
    guard let result else {
      sessions.empty.append(described(listener))
      return
    }
    sessions.confirmed.append(described(listener, result.path))
  }

  private var timeLeft: Duration { deadline - KernelClock.monotonic.now }

  /// Returns the tracks of a session that continues because a policy allows its device, or because
  /// other tracks have a permission. Returns nil for any other session. The session is asked,
  /// because only the session can check its device. For a meter, the tracks are empty.
  private func continuing(_ record: SessionRecord) -> [Track]? {
    guard record.socket != nil else { return nil }
    let limit = max(.milliseconds(200), timeLeft)
    do throws(ControlError) {
      var client = try store.sessions.connect(to: record, waitingUpTo: limit)
      let answer = try client.ask(SessionVerb.permission.rawValue, waitingUpTo: limit)
      return RecordingStatus(json: .object(answer))?.tracks ?? []
    } catch {
      return nil
    }
  }

  /// Kills the process of a recording, unless another process now has the same process ID. Returns
  /// whether the process has ended.
  private func kill(_ record: SessionRecord) -> Bool {
    // A recording inside another program is not killed, because this would kill the whole program.
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
    case .reader: "a reader of \(quoted(listener.record.name))"
    }
  }

  private static func described(_ name: String, _ path: String?) -> String {
    quoted(name) + (path.map { " in \(quoted($0))" } ?? "")
  }
}

extension Scope {
  fileprivate func includes(_ record: SessionRecord) -> Bool {
    includes(record.client, record.tracks)
  }

  /// Returns whether a recording of this client uses a service in the scope. `name` is nil for
  /// everyone.
  fileprivate func includes(_ name: String?, _ tracks: [Track]) -> Bool {
    let client = name.flatMap(Client.init(_:)) ?? .everyone
    return tracks.services.contains { contains(Subject($0, client)) }
  }
}
