package import Control
internal import JSON
package import Linux

/// The records and the results of sessions, as files that are whole or not there.
package struct SessionStore: Sendable {
  package let paths: SessionPaths
  /// The host that looks.
  package let host: Host
  /// The name of a host that is gone for good, whose recordings are dead unless they hold their locks.
  package var gone: String?
  /// The machine whose store this is, where it is another one.
  package internal(set) var owner: Host?

  package init(_ paths: SessionPaths, host: Host) {
    self.paths = paths
    self.host = host
  }

  /// The same, looked at from this host.
  package init(_ paths: SessionPaths) { self.init(paths, host: .current) }

  static let largest = 1 << 20
}

extension SessionStore {
  /// Takes the lock of a name, waiting shortly for one who only looked; nil while a session holds it.
  package func lock(
    _ name: SessionName, waitingUpTo limit: Duration = .milliseconds(300)
  ) throws(DirectoryRefusal) -> FileLock? {
    let directory = try PrivateDirectory.make(at: paths.sessions)
    do {
      return try FileLock(SessionPaths.lock(of: name), in: directory, waitingUpTo: limit)
    } catch {
      if error.errno == .timedOut { return nil }
      throw DirectoryRefusal(paths.sessions, .system(error))
    }
  }

  /// True while a session of that name lives, or may live on a host of which nothing is known here.
  package func isLive(_ name: SessionName) -> Bool {
    isLocked(name) || record(of: name).map(mayLive) ?? false
  }

  private func isLocked(_ name: SessionName) -> Bool {
    guard let directory = try? PrivateDirectory.open(paths.sessions),
      (try? directory.status(of: SessionPaths.lock(of: name))) != nil
    else { return false }
    let lock = try? FileLock.take(SessionPaths.lock(of: name), in: directory)
    return lock == nil
  }

  /// Says what the session of its name does; what a dead one left there goes to the interrupted ones.
  ///
  /// - Parameter isHosted: true where the process is not the session's own, and so is never to be killed.
  package func publish(
    _ record: SessionRecord, as name: SessionName, isHosted: Bool = false
  ) throws(DirectoryRefusal) {
    setAside(name)
    removeLeftovers(of: name)
    try noteHost(of: record, as: name)
    if isHosted {
      try write(["id": record.identifier.json], to: SessionPaths.hosted(name), in: paths.sessions)
    }
    try write(record.json, to: SessionPaths.record(of: name), in: paths.sessions)
  }

  /// The session ended as it should.
  package func withdraw(_ name: SessionName) {
    remove(SessionPaths.record(of: name), in: paths.sessions)
    remove(SessionPaths.host(of: name), in: paths.sessions)
    remove(SessionPaths.hosted(name), in: paths.sessions)
    remove(SessionPaths.parts(of: name), in: paths.sessions)
  }

  /// True for a session whose process does more than record, so that nobody may kill it.
  package func isHosted(_ record: SessionRecord) -> Bool {
    guard let name = SessionName(record.name) else { return false }
    let mark: HostedMark? = read(SessionPaths.hosted(name), in: paths.sessions)
    return mark?.identifier == record.identifier
  }

  /// What the session of a name does, or did when it died.
  package func record(of name: SessionName) -> SessionRecord? {
    read(SessionPaths.record(of: name), in: paths.sessions)
  }

  /// Says where a session listens by now.
  package func move(_ name: SessionName, to socket: String) throws(DirectoryRefusal) {
    try update(name) { $0.socket = socket }
  }

  /// Changes what the session of a name says of itself; several of its threads may, one after the other.
  package func update(
    _ name: SessionName, _ change: (inout SessionRecord) -> Void
  ) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: paths.sessions)
    let turn = try? FileLock(on: directory, waitingUpTo: .seconds(1))
    try updateAlone(name, change)
    _ = consume turn
  }

  private func updateAlone(
    _ name: SessionName, _ change: (inout SessionRecord) -> Void
  ) throws(DirectoryRefusal) {
    guard let former = record(of: name) else { return }
    var record = former
    change(&record)
    guard record != former else { return }
    try write(record.json, to: SessionPaths.record(of: name), in: paths.sessions)
  }

  /// The sessions that are known, dead ones too.
  package var records: [SessionRecord] { all(in: paths.sessions) }

  /// The sessions that died before others of their names began; what is left of their takes is still there.
  package var setAside: [SessionRecord] {
    allAside.filter(\.isLeft)
  }

  /// The same with those of which nothing is left where it was.
  var allAside: [SessionRecord] { all(in: paths.interrupted) }

  private func setAside(_ name: SessionName) {
    guard let dead: SessionRecord = read(SessionPaths.record(of: name), in: paths.sessions),
      dead.isLeft || isLost(dead)
    else { return }
    keepHost(of: dead)
    keepNote(of: dead)
    try? write(dead.json, to: dead.identifier + ".json", in: paths.interrupted)
  }

  /// Removes the leftovers of writers of records that were killed.
  package func removeAbandoned() {
    for path in [paths.sessions, paths.results, paths.interrupted, paths.meters] {
      if let directory = try? PrivateDirectory.open(path) {
        AtomicFile.removeAbandoned(in: directory)
      }
    }
  }

  /// What writers that were killed have left; nobody else writes while the lock of the name is held.
  private func removeLeftovers(of name: SessionName) {
    for path in [paths.sessions, paths.results] {
      guard let directory = try? PrivateDirectory.open(path) else { continue }
      for file in [
        SessionPaths.record(of: name), SessionPaths.host(of: name), SessionPaths.hosted(name),
      ] {
        try? AtomicFile.removeLeftovers(of: file, in: directory)
      }
    }
  }
}

extension SessionStore {
  /// Leaves a result for whoever asks first.
  package func leave(_ result: RecordingResult, of name: SessionName) throws(DirectoryRefusal) {
    try write(result.json, to: SessionPaths.record(of: name), in: paths.results)
  }

  /// The result of a session that has ended, which stays.
  package func result(of name: SessionName) -> RecordingResult? {
    read(SessionPaths.record(of: name), in: paths.results)
  }

  /// Removes a result that was told; a newer one of the same name stays.
  package func consume(_ result: RecordingResult, of name: SessionName) {
    guard self.result(of: name)?.identifier == result.identifier else { return }
    remove(SessionPaths.record(of: name), in: paths.results)
  }

  /// Adds what became of a recording to the catalogue, in one write.
  package func catalogue(_ result: RecordingResult) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: paths.state)
    do {
      let file = try directory.open(
        SessionPaths.catalogue, [.readWrite, .create, .append, .noFollow])
      try file.append(line: result.json.encoded())
    } catch {
      throw DirectoryRefusal(paths.state, .system(error))
    }
    withdrawAnnouncement(of: result)
  }

  /// What became of a recording, also after somebody was told.
  package func result(identifiedBy identifier: String) -> RecordingResult? {
    takes.last { $0.identifier == identifier }
  }
}

extension SessionStore {
  private func all<Value: JSONConvertible>(in path: String) -> [Value] {
    guard let directory = try? PrivateDirectory.open(path), let names = try? directory.names()
    else { return [] }
    return names.filter { $0.ends(with: ".json") && !$0.begins(with: ".") }.sorted()
      .compactMap { read($0, in: path) }
  }

  func read<Value: JSONConvertible>(
    _ name: String, in path: String, upTo most: Int = largest
  ) -> Value? {
    guard let directory = try? PrivateDirectory.open(path),
      let file = try? directory.open(name, [.noFollow, .nonBlocking]),
      let bytes = try? file.readAll(upTo: most),
      let json = try? JSONValue(
        decoding: String(decoding: bytes, as: UTF8.self), limits: JSONLimits(bytes: most))
    else { return nil }
    return Value(json: json)
  }

  private func write(
    _ json: JSONValue, to name: String, in path: String
  ) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: path)
    do {
      let bytes = Array((json.encoded() + "\n").utf8)
      try AtomicFile.write(bytes.span, to: name, in: directory)
    } catch {
      throw DirectoryRefusal(path, .system(error))
    }
  }

  func remove(_ name: String, in path: String) {
    guard let directory = try? PrivateDirectory.open(path) else { return }
    try? directory.remove(name)
  }
}

extension SessionStore {
  /// The recordings whose sessions died, and whose parts are still there.
  package var interrupted: [SessionRecord] {
    records.filter(isInterrupted) + setAside.filter { !isElsewhere($0) }
  }

  /// Whether the session of a record died and left what it had.
  package func isInterrupted(_ record: SessionRecord) -> Bool {
    guard record.isLeft, let name = SessionName(record.name) else { return false }
    return !isLive(name)
  }

  /// The session that still writes a part, by its record; one that lives elsewhere counts.
  package func writer(of record: SessionRecord) -> SessionRecord? {
    if isElsewhere(record) { return record }
    guard let name = SessionName(record.name), self.record(of: name) == record, isLive(name)
    else { return nil }
    return record
  }

  /// Removes the record of a dead session, whose take is whole now.
  ///
  /// A session of its name that lives has set it aside, or will find nothing to set aside.
  package func forget(_ record: SessionRecord) {
    forgetHere(record)
    for store in others where store.owner?.name == gone { store.forgetHere(record) }
  }

  /// Forgets what a machine that is gone for good left beside its takes.
  package func forgetGone() {
    guard let gone else { return }
    for record in records + setAside where !record.isLeft && host(of: record)?.name == gone {
      forgetHere(record)
    }
  }

  private func forgetHere(_ record: SessionRecord) {
    remove(record.identifier + ".json", in: paths.interrupted)
    for note in [SessionPaths.host(of: record), SessionPaths.parts(of: record)] {
      if let note { remove(note, in: paths.interrupted) }
    }
    guard let name = SessionName(record.name),
      let lock = (try? lock(name, waitingUpTo: .zero)) ?? nil
    else { return }
    if self.record(of: name)?.identifier == record.identifier { withdraw(name) }
    _ = consume lock
  }
}

/// The mark of a session in a program of somebody else's.
///
/// A file of its own, because a former release takes no other key in a record.
private struct HostedMark: JSONConvertible {
  let identifier: String

  init?(json: JSONValue) {
    guard let identifier = json["id"]?.string else { return nil }
    self.identifier = identifier
  }

  var json: JSONValue { ["id": identifier.json] }
}
