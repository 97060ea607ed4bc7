internal import Control
internal import JSON
internal import Linux
internal import Store

/// The client that commands use to reach the recordings of this user.
struct SessionClient {
  let store: MachineStore

  /// The time limit for a session that records without its socket. Such a session restores the
  /// socket within a second.
  private static let patience = Duration.seconds(5)

  /// A client of the recordings in `store`.
  init(_ store: MachineStore) { self.store = store }

  /// - Parameter claiming: whether a recording is about to start on this machine.
  init(claiming: Bool = false) throws {
    store = MachineStore(try SessionPaths.current(claiming: claiming))
  }

  /// Connects to the session with this name. Throws if there is no record of a session with this
  /// name.
  func connect(
    to name: SessionName, waitingUpTo limit: Duration
  ) throws(ControlError) -> ControlClient {
    guard let record = store.sessions.record(of: name) else {
      throw .notRunning(path: store.paths.socket(of: name))
    }
    return try store.sessions.connect(to: record, waitingUpTo: limit)
  }

  /// Sends a request to the session with this name. Returns nil if there is no such session.
  func ask(
    _ name: SessionName, _ verb: SessionVerb, _ arguments: JSONObject = [:],
    waitingUpTo limit: Duration? = .seconds(5)
  ) throws -> JSONObject? {
    try reach(name, verb, waitingUpTo: limit) {
      (client: consuming ControlClient) throws(ControlError) in
      try client.ask(verb.rawValue, arguments, waitingUpTo: limit)
    }
  }

  /// Connects to the session with this name, and passes the connection to `request`. Tries again if
  /// that may succeed. Returns nil if there is no such session.
  func reach<Result: ~Copyable>(
    _ name: SessionName, _ verb: SessionVerb, waitingUpTo limit: Duration? = .seconds(5),
    _ request: (consuming ControlClient) throws(ControlError) -> Result
  ) throws -> Result? {
    let deadline = KernelClock.monotonic.now + Self.patience
    while true {
      do throws(ControlError) {
        // A session answers only after its device is open, and opening a device may take this long.
        return try request(connect(to: name, waitingUpTo: limit ?? .seconds(15)))
      } catch {
        if verb == .wait, error == .timedOut, limit != nil { throw Self.unfinished(name) }
        guard error.isPassing else { throw failure(name, error) }
        // A session with too many clients may close this connection. Only `status` and `tap` are
        // repeated, because any other request may have had its effect already.
        if error == .closed, verb != .status, verb != .tap { return nil }
        guard error == .busy || store.sessions.isLive(name) else { return nil }
        let isDistant = store.sessions.record(of: name).map(store.sessions.isElsewhere) ?? false
        guard KernelClock.monotonic.now < deadline, !isDistant else { throw unreachable(name) }
        KernelClock.sleep(.milliseconds(50))
      }
    }
  }

  /// Sends a request, and returns the answer. Throws if there is no such recording.
  func obey(
    _ name: SessionName, _ verb: SessionVerb, _ arguments: JSONObject = [:]
  ) throws -> JSONObject {
    guard let answer = try ask(name, verb, arguments) else { throw absent(name) }
    return answer
  }

  /// Sends a request whose answer is the status, and returns the status. Throws if there is no such
  /// recording.
  func status(of name: SessionName, after verb: SessionVerb) throws -> RecordingStatus {
    let answer = try obey(name, verb)
    guard let status = RecordingStatus(json: .object(answer)) else { throw Self.newer(name) }
    return status
  }
}

extension SessionClient {
  /// Returns `name` if it is given. Otherwise returns the `current` recording, else the usual one
  /// if it died or runs on another machine. Throws if there is none, or if several recordings run
  /// and none of them is the usual one.
  ///
  /// - Parameter option: the option that gives the name, or nil if the name is an operand.
  func recording(named name: SessionName?, by option: String? = nil) throws -> SessionName {
    try name ?? current(by: option) ?? usualElsewhere
  }

  /// Returns the usual recording (`default`) if it runs or has an unread result, else the only
  /// running recording, or nil if none runs. Throws if several recordings run and none of them is
  /// the usual one.
  ///
  /// - Parameters:
  ///   - all: whether the command has the option `--all`, for the message.
  ///   - option: as for `recording(named:by:)`.
  func current(all: Bool = false, by option: String? = nil) throws -> SessionName? {
    if store.sessions.isLive(.usual) || store.sessions.result(of: .usual) != nil { return .usual }
    return try ImpliedName.only(live, "recording", called: \.text, all: all, by: option)
  }

  /// The usual recording, if its session has died or runs on another machine. The caller reports a
  /// session that has died. Throws if neither is the case.
  var usualElsewhere: SessionName {
    get throws {
      if store.sessions.record(of: .usual) != nil || isUsualDistant { return .usual }
      throw idle
    }
  }

  /// The failure if nothing is being recorded.
  var idle: Failure {
    Failure(
      .notFound, "nothing is being recorded",
      advice: [lately()?.sentence].compactMap(\.self)
        + store.deadSessions.crashed.map { "\(quoted($0.name)) was interrupted: " + $0.rescue }
        + ["\"recorder takes\" lists finished recordings"])
  }

  /// Whether the usual recording runs on another machine that shares the home directory.
  var isUsualDistant: Bool {
    store.sessions.distant.contains { $0.record.name == SessionName.usual.text }
  }

  /// The running recordings.
  var live: [SessionName] {
    store.sessions.live.compactMap { SessionName($0.name) }
  }

  /// Ends or awaits a recording by `verb`. Returns the result, and removes it from the unread
  /// results. A recording that ended within `recency` can be awaited again. If `limit` is nil,
  /// there is no time limit.
  func result(
    of name: SessionName, asking verb: SessionVerb, waitingUpTo limit: Duration? = nil
  ) throws -> RecordingResult {
    let record = store.sessions.record(of: name)
    let answer = try ask(name, verb, waitingUpTo: limit)
    if let result = answer.flatMap({ RecordingResult(json: .object($0)) }) {
      store.sessions.consume(result, of: name)
      store.sessions.awaitProcess(of: name)
      return result
    }
    // The session may have closed its socket before it has ended.
    store.sessions.awaitProcess(of: name)
    if let result = try left(by: record, of: name) {
      store.sessions.consume(result, of: name)
      return result
    }
    // If a recording of that name runs on another machine, the user means that recording.
    if verb == .wait, distant(name) == nil, let ended = lately(name) { return ended.result }
    throw crashed(name).map(Self.interrupted) ?? absent(name)
  }

  /// Returns the result of a session that no longer answers. Throws if the session died.
  private func left(by record: SessionRecord?, of name: SessionName) throws -> RecordingResult? {
    let result = store.sessions.result(of: name)
    guard let record else { return result }
    if result?.identifier == record.identifier { return result }
    store.announcements.addTakes()
    // If another process has read the result, or if another recording with that name has started,
    // the result is only in the catalogue.
    if let told = store.catalogue.result(identifiedBy: record.identifier) {
      // If the session died after it saved its file, its record still exists.
      if !record.isLeft, !store.deadSessions.isLost(record) { store.deadSessions.forget(record) }
      return told
    }
    if record.isLeft || store.deadSessions.isLost(record)
      || record.part == nil && forget(record, name)
    {
      throw Self.interrupted(record)
    }
    return result
  }

  /// Removes the record of a session that died without a file. Returns false if the record is
  /// locked or has changed.
  private func forget(_ record: SessionRecord, _ name: SessionName) -> Bool {
    guard let lock = try? store.sessions.lock(name), store.sessions.record(of: name) == record
    else {
      return false
    }
    store.sessions.withdraw(name)
    // The lock is held until here, so that no new session can use the record.
    _ = consume lock
    return true
  }

  /// Asks every session of this user for its status, and returns the report, which also lists the
  /// sessions that did not answer.
  func statusReport(_ console: Console) -> StatusReport {
    var report = StatusReport(recordings: [])
    report.distant = store.sessions.distant
    for record in store.sessions.records {
      guard let name = SessionName(record.name),
        store.sessions.isLive(name) || store.sessions.isElsewhere(record)
      else { continue }
      do throws(ControlError) {
        var client = try store.sessions.connect(
          to: record, waitingUpTo: record.isBeginning ? .milliseconds(200) : .seconds(5))
        let status = RecordingStatus(json: .object(try client.ask(SessionVerb.status.rawValue)))
        if let status { report.add(status) }
      } catch {
        if !error.isPassing, !record.isBeginning { console.warn(failure(name, error).message) }
        // A session that has ended meanwhile has removed its record.
        let isLive = store.sessions.isLive(name) && store.sessions.record(of: name) == record
        if isLive { report.add(unreachable: record, store.sessions.location(of: record)) }
      }
    }
    // This adds the takes of sessions that died while they saved their files. Otherwise, these
    // takes would count as lost.
    store.addAnnouncedTakes(console)
    addCrashed(to: &report)
    return report
  }

  /// Adds the recordings whose sessions died.
  func addCrashed(to report: inout StatusReport) {
    report.interrupted = store.deadSessions.interrupted
    report.missing = store.deadSessions.lost
  }
}

extension SessionClient {
  /// Returns the failure for a missing recording, with advice if it was interrupted.
  func absent(_ name: SessionName) -> Failure {
    let dead = crashed(name)
    return Failure(
      .notFound, "no recording \(quoted(name.text))" + (dead == nil ? "" : ": it was interrupted"),
      advice: dead?.remedy ?? distant(name)
        ?? [lately(name)?.sentence, whatRecords].compactMap { $0 })
  }

  /// Returns the record of the last interrupted recording called `name`, or nil if there is none.
  private func crashed(_ name: SessionName) -> SessionRecord? {
    store.deadSessions.crashed.last { $0.name.isSameName(as: name.text) }
  }

  /// The advice that names the running recordings.
  private var whatRecords: String {
    let names = live.map { quoted($0.text) }
    return names.isEmpty
      ? "\"recorder takes\" lists finished recordings"
      : "running: \(names.joined(separator: ", "))" + (names.count == 1 ? "" : "; name one of them")
  }

  /// Returns the advice about recordings called `name` on other machines that share the home
  /// directory, or nil if there are none.
  private func distant(_ name: SessionName) -> [String]? {
    let hosts = store.sessions.distant.filter { $0.record.name.isSameName(as: name.text) }
      .map { quoted($0.host.name) }
    return hosts.isEmpty
      ? nil
      : ["a recording of that name runs on \(hosts.joined(separator: ", ")): run the command there"]
  }

  /// Returns the failure for a recording whose process died.
  static func interrupted(_ record: SessionRecord) -> Failure {
    Failure(
      .incomplete,
      "the recording \(quoted(record.name)) was interrupted: its process \(record.process) died",
      advice: record.remedy)
  }

  private func unreachable(_ name: SessionName) -> Failure {
    let location =
      store.sessions.record(of: name).map { store.sessions.location(of: $0) } ?? .unknown
    return Failure(
      .failed, "\(quoted(name.text)) is recording (\(location.words)), but not responding",
      advice: location.remedy(name.text))
  }

  private static func unfinished(_ name: SessionName) -> Failure {
    Failure(
      .alreadyRecording, "\(quoted(name.text)) is still recording",
      advice: "\"\(stopCommand(name.text))\" ends it")
  }

  private static func newer(_ name: SessionName) -> Failure {
    Failure(
      .failed, "\(quoted(name.text)) is recorded by another version of recorder",
      advice: "\"\(stopCommand(name.text))\" ends it")
  }

  private func failure(_ name: SessionName, _ error: ControlError) -> Failure {
    let failure = Failure(asking: "the recording \(quoted(name.text))", error)
    guard error == .timedOut, let location = stoppedLocation(of: name) else { return failure }
    return Failure(failure.code, failure.message.fact, advice: location.remedy(name.text))
  }
}

extension ControlError {
  /// Whether a retry may succeed, or the session has ended.
  fileprivate var isPassing: Bool {
    switch self {
    case .notRunning, .closed, .busy: true
    case .foreign, .timedOut, .tooLong, .malformed, .refused, .system: false
    }
  }
}

extension Failure {
  /// Creates the failure that the other end of a socket reported.
  init(_ refusal: Refusal) {
    self.init(
      ExitCode(rawValue: refusal.exit) ?? .failed, printable(refusal.message),
      advice: (refusal.advice ?? "").split(separator: "\n").map { printable(String($0)) })
  }
}
