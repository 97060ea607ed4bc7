package import Control
internal import JSON
package import Linux

/// The records and the results of sessions, as files that are whole or not there.
package struct SessionStore: Sendable {
  /// The paths of the machine whose sessions these are.
  package let paths: SessionPaths
  /// The host of this process.
  package let host: Host
  /// The name of a host that is gone for good, whose recordings are dead unless they hold their locks.
  package var gone: String?
  /// The host of another machine, if this is its store; nil for this machine's.
  package internal(set) var owner: Host?

  /// The store at `paths`, as `host` sees it.
  package init(_ paths: SessionPaths, host: Host) {
    self.paths = paths
    self.host = host
  }

  /// The store at `paths`, as the host of this process sees it.
  package init(_ paths: SessionPaths) { self.init(paths, host: .current) }

  /// The bytes of a record or of a line that are read: a line has the texts of all marks of a take.
  static let largest = 1 << 24
}

extension SessionStore {
  /// Takes the lock of a name, waiting shortly for a process that only looks; nil while a session
  /// holds it.
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

  /// The process that holds the lock of a name, which it may do before it has written its record.
  package func holder(of name: SessionName) -> Int32? {
    guard let directory = try? Directory(paths.sessions) else { return nil }
    return FileLock.holder(SessionPaths.lock(of: name), in: directory)
  }

  /// True while a session of that name lives, or may live on a host that cannot be seen from here.
  package func isLive(_ name: SessionName) -> Bool {
    guard let record = record(of: name) else { return isLocked(name) }
    // A killed process holds its lock until the kernel has closed its files.
    if isEnding(record), holder(of: name) == record.process { return false }
    return isLocked(name) || mayLive(record)
  }

  /// True while the session of a record lives, or may live.
  package func isLive(_ record: SessionRecord) -> Bool {
    SessionName(record.name).map(isLive) ?? false
  }

  /// The record of the live session that will save a file at a path.
  package func recording(at path: String) -> SessionRecord? {
    records.first { $0.path?.isSameName(as: path) == true && isLive($0) }
  }

  private func isLocked(_ name: SessionName) -> Bool {
    let lock = SessionPaths.lock(of: name)
    guard let directory = try? PrivateDirectory.open(paths.sessions),
      (try? directory.status(of: lock)) != nil
    else { return false }
    return (try? FileLock.isHeld(lock, in: directory)) ?? true
  }

  /// Publishes the record of a session; the record of a dead one of its name is set aside.
  package func publish(
    _ record: SessionRecord, as name: SessionName
  ) throws(DirectoryRefusal) {
    setAside(name)
    removeLeftovers(of: name)
    try write(record.json, to: SessionPaths.record(of: name), in: paths.sessions)
    keepRoom(for: name)
  }

  /// The bytes that the end of a session writes: an announcement with its sidecar, a line in the
  /// list of takes, and a result.
  private static let roomForEnd: Int64 = 1 << 16

  /// Keeps room for the end of a session while the disk fills up, at least an eighth of it.
  private func keepRoom(for name: SessionName) {
    guard let directory = try? PrivateDirectory.open(paths.sessions),
      let file = try? directory.open(
        SessionPaths.room(of: name), [.writeOnly, .create, .truncate, .noFollow])
    else { return }
    let sizes = (0...3).lazy.map { Self.roomForEnd >> $0 }
    if !sizes.contains(where: { (try? file.allocate($0)) != nil }) { releaseRoom(of: name) }
  }

  /// Writes a little for a session. If that fails, as on a full disk, it uses the room for the end,
  /// and keeps what is left of it: without its record or its line in the list, nobody finds a file
  /// after a crash.
  func usingRoom(
    of name: String, _ write: () throws(DirectoryRefusal) -> Void
  ) throws(DirectoryRefusal) {
    do throws(DirectoryRefusal) {
      try write()
    } catch {
      guard let name = SessionName(name),
        let directory = try? PrivateDirectory.open(paths.sessions),
        (try? directory.status(of: SessionPaths.room(of: name))) != nil
      else { throw error }
      releaseRoom(of: name)
      defer { keepRoom(for: name) }
      try write()
    }
  }

  /// Gives the room for the end of a session back, so that the end can use it.
  package func releaseRoom(of name: SessionName) {
    remove(SessionPaths.room(of: name), in: paths.sessions)
  }

  /// Removes the record of a session that ended in order.
  package func withdraw(_ name: SessionName) {
    releaseRoom(of: name)
    remove(SessionPaths.record(of: name), in: paths.sessions)
  }

  /// The record of the session of a name, live or dead; nil for none.
  package func record(of name: SessionName) -> SessionRecord? {
    read(SessionPaths.record(of: name), in: paths.sessions)
  }

  /// Publishes the new path of a session's socket.
  package func move(_ name: SessionName, to socket: String) throws(DirectoryRefusal) {
    try update(name) { $0.socket = socket }
  }

  /// Connects to the session or the meter of a record.
  ///
  /// Another that listens at its path is not the one that was meant: state directories can share a
  /// runtime directory.
  package func connect(
    to record: SessionRecord, waitingUpTo limit: Duration = .seconds(5)
  ) throws(ControlError) -> ControlClient {
    let path = record.socket ?? SessionName(record.name).map(paths.socket) ?? paths.runtime
    let client = try ControlClient(connectingTo: path, waitingUpTo: limit)
    guard client.hello.process == record.process else { throw .notRunning(path: path) }
    return client
  }

  /// Changes the record of a live session; several of its threads may call this, one after the
  /// other.
  package func update(
    _ name: SessionName, _ change: (inout SessionRecord) -> Void
  ) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: paths.sessions)
    let turn = try? FileLock(on: directory, waitingUpTo: .seconds(1))
    try usingRoom(of: name.text) { () throws(DirectoryRefusal) in try updateAlone(name, change) }
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

  /// The records of all sessions, dead ones too.
  package var records: [SessionRecord] { all(in: paths.sessions) }

  /// The records of dead sessions whose names others have taken, with parts that still exist.
  package var setAside: [SessionRecord] {
    allAside.filter(isLeft)
  }

  /// All records that were set aside, with those whose parts are not at their paths.
  var allAside: [SessionRecord] { all(in: paths.interrupted) }

  private func setAside(_ name: SessionName) {
    guard let dead: SessionRecord = read(SessionPaths.record(of: name), in: paths.sessions),
      isLeft(dead) || isLost(dead)
    else { return }
    try? write(dead.json, to: dead.identifier + ".json", in: paths.interrupted)
  }

  /// Removes the drafts of killed writers of records.
  package func removeAbandoned() {
    for path in [paths.sessions, paths.results, paths.interrupted, paths.meters] {
      if let directory = try? PrivateDirectory.open(path) {
        AtomicFile.removeAbandoned(in: directory)
      }
    }
    for record in allAside where isOutdated(record) {
      remove(record.identifier + ".json", in: paths.interrupted)
    }
  }

  /// Removes the drafts of killed writers; the lock of the name keeps every other writer away.
  private func removeLeftovers(of name: SessionName) {
    for path in [paths.sessions, paths.results] {
      guard let directory = try? PrivateDirectory.open(path) else { continue }
      try? AtomicFile.removeLeftovers(of: SessionPaths.record(of: name), in: directory)
    }
  }
}

extension SessionStore {
  /// Leaves a result for the first reader.
  package func leave(_ result: RecordingResult, of name: SessionName) throws(DirectoryRefusal) {
    try write(result.json, to: SessionPaths.record(of: name), in: paths.results)
  }

  /// The result of a session that has ended; reading it does not remove it.
  package func result(of name: SessionName) -> RecordingResult? {
    read(SessionPaths.record(of: name), in: paths.results)
  }

  /// Removes a result that was reported; a newer one of the same name stays.
  package func consume(_ result: RecordingResult, of name: SessionName) {
    guard self.result(of: name)?.identifier == result.identifier else { return }
    remove(SessionPaths.record(of: name), in: paths.results)
  }

  /// Adds the result of a recording to the catalogue, in one write.
  package func catalogue(_ result: RecordingResult) throws(DirectoryRefusal) {
    try catalogue(result, awaiting: awaitedSidecar(of: result))
  }

  /// The same for a file whose sidecar a later command writes, unless that is nil.
  func catalogue(_ result: RecordingResult, awaiting sidecar: String?) throws(DirectoryRefusal) {
    try usingRoom(of: result.name) { () throws(DirectoryRefusal) in try list(result, sidecar) }
  }

  private func list(_ result: RecordingResult, _ awaited: String?) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: paths.state)
    if let delivery = result.delivery { try spool(of: delivery.series).complete(result) }
    var listed = result
    listed.sidecar = awaited ?? result.sidecar
    do {
      let file = try directory.open(
        SessionPaths.catalogue, [.readWrite, .create, .append, .noFollow])
      try file.append(line: listed.json.encoded())
    } catch {
      throw DirectoryRefusal(paths.state, .system(error))
    }
    if awaited == nil { withdrawAnnouncement(of: result) }
  }

  /// The result of a recording by its identifier, also after it was consumed.
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

  func write(
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
  /// The recordings whose sessions died and whose parts still exist.
  package var interrupted: [SessionRecord] {
    records.filter(isInterrupted) + setAside.filter { !isElsewhere($0) }
  }

  /// The recordings whose sessions died, with parts or with parts that are gone.
  package var crashed: [SessionRecord] { interrupted + lost }

  /// True if the session of a record died and left a part.
  package func isInterrupted(_ record: SessionRecord) -> Bool {
    guard isLeft(record), let name = SessionName(record.name) else { return false }
    return !isLive(name)
  }

  /// The record of the session that still writes a part; one that lives elsewhere counts.
  package func writer(of record: SessionRecord) -> SessionRecord? {
    if isElsewhere(record) { return record }
    guard let name = SessionName(record.name), self.record(of: name) == record, isLive(name)
    else { return nil }
    return record
  }

  /// Removes the record of a dead session, whose take is complete now.
  ///
  /// A live session of its name has set it aside, or will find nothing to set aside.
  package func forget(_ record: SessionRecord) {
    forgetHere(record)
    for store in others where store.owner?.name == gone { store.forgetHere(record) }
  }

  /// Removes the records that a machine that is gone for good left without parts.
  package func forgetGone() {
    guard let gone else { return }
    for record in records + setAside where !record.isLeft && record.host.name == gone {
      forgetHere(record)
    }
  }

  private func forgetHere(_ record: SessionRecord) {
    remove(record.identifier + ".json", in: paths.interrupted)
    withdraw(dead: record)
  }

  /// Removes the record from the name of its dead session, if no other session has the name.
  func withdraw(dead record: SessionRecord) {
    guard let name = SessionName(record.name),
      let lock = (try? lock(name, waitingUpTo: .zero)) ?? nil
    else { return }
    if self.record(of: name)?.identifier == record.identifier { withdraw(name) }
    _ = consume lock
  }
}
