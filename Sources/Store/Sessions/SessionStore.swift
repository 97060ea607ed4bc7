package import Control
internal import JSON
package import Linux

/// The records and the results of sessions, in files that are either complete or missing.
package struct SessionStore: Sendable {
  /// The paths of the machine that runs these sessions.
  package let paths: SessionPaths
  /// The host of this process.
  package let host: Host
  /// The name of a host that no longer exists, or nil. Its recordings count as dead unless they
  /// hold their locks.
  package var gone: String?
  /// The host of this store if it belongs to another machine, or nil for this machine.
  package internal(set) var owner: Host?

  /// Creates the store at `paths`, as `host` sees it.
  package init(_ paths: SessionPaths, host: Host) {
    self.paths = paths
    self.host = host
  }

  /// Creates the store at `paths`, as the host of this process sees it.
  package init(_ paths: SessionPaths) { self.init(paths, host: .current) }

  /// The maximum size of a record or of a line that is read, in bytes. A line contains the texts of
  /// all marks of a take.
  static let largest = 1 << 24
}

extension SessionStore {
  /// Takes the lock of a name. Waits briefly for a process that only checks it. Returns nil while a
  /// session holds it.
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

  /// Returns the process that holds the lock of a name. It may take the lock before it has written
  /// its record.
  package func holder(of name: SessionName) -> Int32? {
    guard let directory = try? Directory(paths.sessions) else { return nil }
    return FileLock.holder(SessionPaths.lock(of: name), in: directory)
  }

  /// Returns true if a session of that name is alive, or may be alive on a host that cannot be seen
  /// from here.
  package func isLive(_ name: SessionName) -> Bool {
    guard let record = record(of: name) else { return isLocked(name) }
    // A killed process holds its lock until the kernel has closed its files.
    if isEnding(record), holder(of: name) == record.process { return false }
    return isLocked(name) || mayLive(record)
  }

  /// Returns true if the session of a record is or may be alive.
  package func isLive(_ record: SessionRecord) -> Bool {
    SessionName(record.name).map(isLive) ?? false
  }

  /// Returns the record of the live session that will save a file at a path.
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

  /// Publishes the record of a session. The record of a dead session with the same name is set
  /// aside.
  package func publish(
    _ record: SessionRecord, as name: SessionName
  ) throws(DirectoryRefusal) {
    setAside(name)
    removeLeftovers(of: name)
    try write(record.json, to: SessionPaths.record(of: name), in: paths.sessions)
    keepRoom(for: name)
  }

  /// The number of bytes that the end of a session writes: an announcement with its sidecar, a line
  /// in the list of takes, and a result.
  private static let roomForEnd: Int64 = 1 << 16

  /// Reserves disk space for the end of a session, in case the disk fills up. If there is too
  /// little space, it reserves a half, a quarter or an eighth of it.
  private func keepRoom(for name: SessionName) {
    guard let directory = try? PrivateDirectory.open(paths.sessions),
      let file = try? directory.open(
        SessionPaths.room(of: name), [.writeOnly, .create, .truncate, .noFollow])
    else { return }
    let sizes = (0...3).lazy.map { Self.roomForEnd >> $0 }
    if !sizes.contains(where: { (try? file.allocate($0)) != nil }) { releaseRoom(of: name) }
  }

  /// Writes a small amount of data for a session. If that fails, for example on a full disk, it
  /// uses the space that is reserved for the end, and reserves the rest of it again. Without its
  /// record or its line in the list, no command finds a file after a crash.
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

  /// Releases the disk space that is reserved for the end of a session, so that the end can use it.
  package func releaseRoom(of name: SessionName) {
    remove(SessionPaths.room(of: name), in: paths.sessions)
  }

  /// Removes the record of a session that ended normally.
  package func withdraw(_ name: SessionName) {
    releaseRoom(of: name)
    remove(SessionPaths.record(of: name), in: paths.sessions)
  }

  /// Returns the record of the session of a name, live or dead, or nil if there is none.
  package func record(of name: SessionName) -> SessionRecord? {
    read(SessionPaths.record(of: name), in: paths.sessions)
  }

  /// Publishes the new path of a session's socket.
  package func move(_ name: SessionName, to socket: String) throws(DirectoryRefusal) {
    try update(name) { $0.socket = socket }
  }

  /// Connects to the session or the meter of a record.
  ///
  /// Throws `notRunning` if another process listens at its path, because state directories can
  /// share a runtime directory.
  package func connect(
    to record: SessionRecord, waitingUpTo limit: Duration = .seconds(5)
  ) throws(ControlError) -> ControlClient {
    let path = record.socket ?? SessionName(record.name).map(paths.socket) ?? paths.runtime
    let client = try ControlClient(connectingTo: path, waitingUpTo: limit)
    guard client.hello.process == record.process else { throw .notRunning(path: path) }
    return client
  }

  /// Changes the record of a live session. Several of its threads may call this; the changes are
  /// made one after the other.
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

  /// The records of all sessions, including dead ones.
  package var records: [SessionRecord] { all(in: paths.sessions) }

  /// The records of dead sessions whose names are used by other sessions now, with parts that still
  /// exist.
  package var setAside: [SessionRecord] {
    allAside.filter(isLeft)
  }

  /// All records that were set aside, including those whose parts are not at their paths.
  var allAside: [SessionRecord] { all(in: paths.interrupted) }

  private func setAside(_ name: SessionName) {
    guard let dead: SessionRecord = read(SessionPaths.record(of: name), in: paths.sessions),
      isLeft(dead) || isLost(dead)
    else { return }
    try? write(dead.json, to: dead.identifier + ".json", in: paths.interrupted)
  }

  /// Removes the temporary files of killed writers of records, and records that are no longer
  /// needed.
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

  /// Removes the temporary files of killed writers. The lock of the name excludes all other
  /// writers.
  private func removeLeftovers(of name: SessionName) {
    for path in [paths.sessions, paths.results] {
      guard let directory = try? PrivateDirectory.open(path) else { continue }
      try? AtomicFile.removeLeftovers(of: SessionPaths.record(of: name), in: directory)
    }
  }
}

extension SessionStore {
  /// Stores a result for the first reader.
  package func leave(_ result: RecordingResult, of name: SessionName) throws(DirectoryRefusal) {
    try write(result.json, to: SessionPaths.record(of: name), in: paths.results)
  }

  /// Returns the result of a session that has ended. Reading it does not remove it.
  package func result(of name: SessionName) -> RecordingResult? {
    read(SessionPaths.record(of: name), in: paths.results)
  }

  /// Removes a result that was reported. A newer result of the same name is kept.
  package func consume(_ result: RecordingResult, of name: SessionName) {
    guard self.result(of: name)?.identifier == result.identifier else { return }
    remove(SessionPaths.record(of: name), in: paths.results)
  }

  /// Adds the result of a recording to the catalogue, in one write.
  package func catalogue(_ result: RecordingResult) throws(DirectoryRefusal) {
    try catalogue(result, awaiting: awaitedSidecar(of: result))
  }

  /// Adds the result of a recording to the catalogue. `sidecar` is the path of a sidecar that a
  /// later command will write, or nil.
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

  /// Returns the result of a recording by its identifier, even after the result was consumed.
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

  /// The recordings whose sessions died, including those whose parts are missing.
  package var crashed: [SessionRecord] { interrupted + lost }

  /// Returns true if the session of a record died and left a part.
  package func isInterrupted(_ record: SessionRecord) -> Bool {
    guard isLeft(record), let name = SessionName(record.name) else { return false }
    return !isLive(name)
  }

  /// Returns the record if its session still writes a part, or nil. A session that runs elsewhere
  /// counts as writing.
  package func writer(of record: SessionRecord) -> SessionRecord? {
    if isElsewhere(record) { return record }
    guard let name = SessionName(record.name), self.record(of: name) == record, isLive(name)
    else { return nil }
    return record
  }

  /// Removes the record of a dead session whose take is now complete.
  ///
  /// A live session of the same name has set the record aside, or will find nothing to set aside.
  package func forget(_ record: SessionRecord) {
    forgetHere(record)
    for store in others where store.owner?.name == gone { store.forgetHere(record) }
  }

  /// Removes the records without parts that were left by a machine that no longer exists.
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

  /// Removes the record of a dead session under its name, if no other session uses the name.
  func withdraw(dead record: SessionRecord) {
    guard let name = SessionName(record.name),
      let lock = (try? lock(name, waitingUpTo: .zero)) ?? nil
    else { return }
    if self.record(of: name)?.identifier == record.identifier { withdraw(name) }
    _ = consume lock
  }
}
