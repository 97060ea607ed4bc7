package import Control
internal import JSON
package import Linux

/// The records and the results of sessions. Each file is written in one step, so it is never
/// incomplete.
package struct SessionStore: Sendable {
  let store: MachineStore
  private var paths: SessionPaths { store.paths }
}

extension MachineStore {
  /// The sessions of this machine.
  package var sessions: SessionStore { SessionStore(store: self) }
}

extension SessionStore {
  /// Takes the lock of `name`. Waits up to `limit`, because another process may hold the lock for a
  /// moment to check it. Returns nil if a session holds the lock.
  package func lock(
    _ name: SessionName, waitingUpTo limit: Duration = .milliseconds(300)
  ) throws(DirectoryRefusal) -> FileLock? {
    let directory = try PrivateDirectory.make(at: paths.sessions)
    return try DirectoryRefusal.of(
      paths.sessions, FileLock.take(SessionPaths.lock(of: name), in: directory, waitingUpTo: limit))
  }

  /// Returns the process that holds the lock of `name`, or nil if it is not known. The process may
  /// not have written its record yet.
  package func holder(of name: SessionName) -> Int32? {
    guard let directory = try? Directory(paths.sessions) else { return nil }
    return FileLock.holder(SessionPaths.lock(of: name), in: directory)
  }

  /// Returns true if a session named `name` is alive, or may be alive. A session may be alive if it
  /// runs on a host that cannot be seen from here, or uses a network share without locks.
  package func isLive(_ name: SessionName) -> Bool {
    guard let record = record(of: name) else { return isLocked(name) }
    // A killed process holds its lock until the kernel has closed its files.
    if record.isEnding(seenFrom: store.host), holder(of: name) == record.process { return false }
    return isLocked(name) || mayLive(record)
  }

  /// Returns true if the session of a record is or may be alive.
  package func isLive(_ record: SessionRecord) -> Bool {
    SessionName(record.name).map(isLive) ?? false
  }

  /// Returns the record of the live session that will save a file at `path`.
  package func recording(at path: String) -> SessionRecord? {
    records.first { record in
      record.paths.contains { $0.isSameName(as: path) } && isLive(record)
    }
  }

  /// Returns the live recording whose name or identifier is `text`.
  func recording(_ text: String) -> SessionRecord? {
    records.first { $0.isNamed(text) && isLive($0) }
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
  package func publish(_ record: SessionRecord, as name: SessionName) throws(DirectoryRefusal) {
    if let former = self.record(of: name) { store.deadSessions.setAside(former) }
    removeLeftovers(of: name)
    try store.write(record, to: SessionPaths.record(of: name), in: paths.sessions)
    keepRoom(for: name)
  }

  /// Removes the record of a session that ended normally.
  package func withdraw(_ name: SessionName) {
    releaseRoom(of: name)
    store.remove(SessionPaths.record(of: name), in: paths.sessions)
  }

  /// Removes the record of a dead session, if no other session uses its name.
  func withdraw(dead record: SessionRecord) {
    guard let name = SessionName(record.name),
      let lock = (try? lock(name, waitingUpTo: .zero)) ?? nil
    else { return }
    if self.record(of: name)?.identifier == record.identifier { withdraw(name) }
    _ = consume lock
  }

  /// Returns the record of the session named `name`, live or dead, or nil if there is none.
  package func record(of name: SessionName) -> SessionRecord? {
    store.read(SessionPaths.record(of: name), in: paths.sessions)
  }

  /// The records of all sessions, including dead ones.
  package var records: [SessionRecord] { store.all(in: paths.sessions) }

  /// The records of the sessions that are or may be alive.
  package var live: [SessionRecord] { records.filter(isLive) }

  /// Publishes the new path of a session's socket.
  package func move(_ name: SessionName, to socket: String) throws(DirectoryRefusal) {
    try update(name) { $0.socket = socket }
  }

  /// Connects to the session or the meter of a record.
  ///
  /// Throws `notRunning` if another process listens at the path of the socket. This can happen,
  /// because several state directories can share a runtime directory.
  package func connect(
    to record: SessionRecord, waitingUpTo limit: Duration = .seconds(5)
  ) throws(ControlError) -> ControlClient {
    let path = record.socket ?? SessionName(record.name).map(paths.socket) ?? paths.runtime
    let client = try ControlClient(connectingTo: path, waitingUpTo: limit)
    guard client.hello.process == record.process else { throw .notRunning(path: path) }
    return client
  }

  /// Changes the record of a live session. Several threads of the session may call this function.
  /// The changes are made one after the other.
  package func update(
    _ name: SessionName, _ change: (inout SessionRecord) -> Void
  ) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: paths.sessions)
    let turn = try? FileLock(on: directory, waitingUpTo: .seconds(1))
    try usingRoom(of: name.text) { () throws(DirectoryRefusal) in
      guard let former = record(of: name) else { return }
      var record = former
      change(&record)
      guard record != former else { return }
      try store.write(record, to: SessionPaths.record(of: name), in: paths.sessions)
    }
    _ = consume turn
  }

  /// Removes the temporary files of killed processes. The caller holds the lock of the name, so no
  /// other process writes these files now.
  private func removeLeftovers(of name: SessionName) {
    for path in [paths.sessions, paths.results] {
      guard let directory = try? PrivateDirectory.open(path) else { continue }
      try? AtomicFile.removeLeftovers(of: SessionPaths.record(of: name), in: directory)
    }
  }
}

// MARK: - Disk space for the end

extension SessionStore {
  /// The number of bytes that the end of a session writes: an announcement with its sidecar, a line
  /// in the catalogue, and a result.
  private static let roomForEnd: Int64 = 1 << 16

  /// Reserves disk space for the end of a session, in case the disk fills up. If there is too
  /// little space, reserves half, a quarter or an eighth of `roomForEnd`.
  private func keepRoom(for name: SessionName) {
    guard let directory = try? PrivateDirectory.open(paths.sessions),
      let file = try? directory.open(
        SessionPaths.room(of: name), [.writeOnly, .create, .truncate, .noFollow])
    else { return }
    let sizes = (0...3).lazy.map { Self.roomForEnd >> $0 }
    if !sizes.contains(where: { (try? file.allocate($0)) != nil }) { releaseRoom(of: name) }
  }

  /// Calls `write`, which writes a small amount of data for a session. If `write` throws, for
  /// example on a full disk, releases the space that is reserved for the end, calls `write` again,
  /// and reserves space again. Without a record or a line in the catalogue, no command would find
  /// the file of a take after a crash.
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
    store.remove(SessionPaths.room(of: name), in: paths.sessions)
  }
}

// MARK: - Results

extension SessionStore {
  /// Stores the result of a session until a command reports it.
  package func leave(_ result: RecordingResult, of name: SessionName) throws(DirectoryRefusal) {
    try store.write(result, to: SessionPaths.record(of: name), in: paths.results)
  }

  /// Returns the result of a session that has ended. Does not remove the result.
  package func result(of name: SessionName) -> RecordingResult? {
    store.read(SessionPaths.record(of: name), in: paths.results)
  }

  /// The results that no command has reported yet.
  var results: [RecordingResult] { store.all(in: paths.results) }

  /// Removes a result that was reported. A newer result of the same name is kept.
  package func consume(_ result: RecordingResult, of name: SessionName) {
    guard self.result(of: name)?.identifier == result.identifier else { return }
    store.remove(SessionPaths.record(of: name), in: paths.results)
  }
}
