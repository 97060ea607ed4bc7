internal import Control
package import Linux

extension SessionRecord {
  /// Returns the position of a part in the take, or nil if the file is not a part of this session.
  package func position(ofPart status: FileStatus) -> RecordedPart.TakePosition? {
    part(status)?.position
  }

  /// Returns the part that has the device and the inode of a file, or nil if the file is not a part
  /// of this session.
  package func part(_ status: FileStatus) -> RecordedPart? {
    parts.first { $0.file == RecordedPart.Number(status) }
  }

  /// Returns true if the file with this status is at the path of a part.
  fileprivate func leads(to status: FileStatus) -> Bool {
    parts.contains { part in
      (try? FileStatus(of: part.path, following: false))?.isSameFile(as: status) == true
    }
  }

  /// Returns true if the file has the device and the inode of a part, and the name of a part. In
  /// this case, the directory of the part was renamed.
  fileprivate func knows(_ status: FileStatus, named name: String) -> Bool {
    parts.contains { $0.path.pathParts.name.isSameName(as: name) }
      && position(ofPart: status) != nil
  }
}

/// The recordings whose sessions died: their records and their parts.
///
/// A part may be missing from its path, because it or its directory was renamed, moved or deleted.
/// If the directory is renamed while the session is alive, the session writes the new path to its
/// record within 4 s.
package struct DeadSessions: Sendable {
  let store: MachineStore
  private var sessions: SessionStore { store.sessions }
  private var path: String { store.paths.interrupted }

  /// The age at which the record of a lost recording is removed, if the loss was reported. Until
  /// then, the part is recognized if it is found.
  private static let longestKnown = Duration.seconds(30 * 86_400)
}

extension MachineStore {
  /// The dead sessions of this machine.
  package var deadSessions: DeadSessions { DeadSessions(store: self) }
}

extension DeadSessions {
  /// The recordings whose sessions died and whose parts still exist.
  package var interrupted: [SessionRecord] {
    sessions.records.filter(isInterrupted) + setAside.filter { !sessions.isElsewhere($0) }
  }

  /// All recordings in `interrupted` and `lost`.
  package var crashed: [SessionRecord] { interrupted + lost }

  /// The dead recordings whose parts are missing and whose loss was not reported yet.
  package var lost: [SessionRecord] { dead.filter { !$0.isReported && isLost($0) } }

  /// The dead recordings whose parts are missing and whose loss was reported. Their records are
  /// removed after `longestKnown`.
  package var reportedLost: [SessionRecord] { dead.filter { $0.isReported && isLost($0) } }

  /// The records that were set aside, if at least one of their parts is at its path. The record of
  /// a dead session is set aside if another session uses the same name.
  package var setAside: [SessionRecord] { allAside.filter(isLeft) }

  /// All records that were set aside, even if none of their parts is at its path.
  private var allAside: [SessionRecord] { store.all(in: path) }

  private var dead: [SessionRecord] {
    sessions.records.filter { SessionName($0.name).map { !sessions.isLive($0) } ?? false }
      + allAside
  }

  /// Returns a record with a part whose path leads to the file with this status. If there is none,
  /// returns a record with a part that has the device and the inode of the file, and a part with
  /// the name `name`.
  package func record(ofPart status: FileStatus, named name: String) -> SessionRecord? {
    let stores = ([store] + store.others).lazy.map(\.deadSessions)
    return stores.flatMap { $0.sessions.records + $0.setAside }.first { $0.leads(to: status) }
      ?? stores.flatMap { $0.sessions.records + $0.allAside }
      .first { $0.knows(status, named: name) }
  }

  /// Returns true if a record has a part with this path, even if the part was moved since.
  func haveRecord(ofPart path: String) -> Bool {
    (sessions.records + allAside).contains { record in
      record.parts.contains { $0.path.isSameName(as: path) }
    }
  }

  /// Returns the record of a part that was renamed, or nil for a file that is not a lost part.
  ///
  /// Another file may have the device and the inode of a deleted part. So this function returns nil
  /// for a file that was created at another time than the part or was last written before the
  /// recording began, and for the file of a saved take.
  package func record(ofMovedPart status: FileStatus, at path: String) -> SessionRecord? {
    let created = FileStatus.birth(of: path)
    let record = dead.first { record in
      record.part(status)?.mayBeCreated(at: created) == true && status.modified >= record.began
        && isLost(record)
    }
    return record == nil || store.catalogue.take(at: path) == nil ? record : nil
  }
}

extension DeadSessions {
  /// Returns true if the session of a record died and left a part.
  private func isInterrupted(_ record: SessionRecord) -> Bool {
    guard isLeft(record), let name = SessionName(record.name) else { return false }
    return !sessions.isLive(name)
  }

  /// Returns the record if its session may still write a part, or nil if the session is dead. A
  /// session that runs elsewhere counts as writing.
  package func writer(of record: SessionRecord) -> SessionRecord? {
    if sessions.isElsewhere(record) { return record }
    guard let name = SessionName(record.name), sessions.record(of: name) == record,
      sessions.isLive(name)
    else { return nil }
    return record
  }

  /// Returns true if any part of a session is at its path.
  private func isLeft(_ record: SessionRecord) -> Bool {
    record.parts.contains { isLeft($0, of: record) }
  }

  /// Returns true if a part is at its path. A session uses only free paths. So if a later session
  /// has a part with the same path, the file at this path belongs to the later session.
  private func isLeft(_ part: RecordedPart, of record: SessionRecord) -> Bool {
    part.isLeft
      && !sessions.records.contains { later in
        later.identifier != record.identifier && later.began > record.began
          && later.parts.contains { $0.path.isSameName(as: part.path) }
      }
  }

  /// Returns true if all parts of a dead session are missing from their paths, and at least one of
  /// these parts was not saved.
  package func isLost(_ record: SessionRecord) -> Bool {
    !record.parts.isEmpty && !isLeft(record) && !sessions.isElsewhere(record)
      && !missing(of: record).isEmpty
  }

  /// Returns the parts of a dead session that are neither at their paths nor in the catalogue.
  private func missing(of record: SessionRecord) -> [RecordedPart] {
    let gone = record.parts.filter { !isLeft($0, of: record) }
    guard !gone.isEmpty else { return [] }
    let saved = store.catalogue.takes.filter {
      $0.identifier == record.identifier && $0.path != nil
    }
    .map { $0.segment ?? 1 }
    return gone.filter { !saved.contains($0.position.segment ?? 1) }
  }

  /// Returns true if no part of a dead session remains to be recovered. `done` contains the files
  /// that were just recovered or had no sound.
  package func isComplete(_ record: SessionRecord, without done: [FileStatus]) -> Bool {
    let numbers = done.map(RecordedPart.Number.init)
    return !isLeft(record)
      && missing(of: record).allSatisfy { part in part.file.map(numbers.contains) ?? false }
  }
}

extension DeadSessions {
  /// Stores the record of a dead session, because another session is about to use its name.
  func setAside(_ record: SessionRecord) {
    if isLeft(record) || isLost(record) { try? write(record) }
  }

  private func write(_ record: SessionRecord) throws(DirectoryRefusal) {
    try store.write(record, to: record.identifier + ".json", in: path)
  }

  /// Marks a lost recording as reported. The record is kept for a while, because the part may be
  /// found under another name.
  package func noteReported(_ record: SessionRecord) {
    var reported = record
    reported.isReported = true
    guard (try? write(reported)) != nil else { return }
    sessions.withdraw(dead: record)
  }

  /// Removes the record of a dead session whose take is now complete.
  ///
  /// A record that was set aside is removed from the directory `interrupted`.
  package func forget(_ record: SessionRecord) {
    forgetHere(record)
    for store in store.others where store.isGone(store.owner) {
      store.deadSessions.forgetHere(record)
    }
  }

  /// Removes the records of a host that no longer exists, except records whose parts still exist.
  package func forgetGone() {
    guard store.gone != nil else { return }
    for record in sessions.records + setAside where !record.isLeft && store.isGone(record.host) {
      forgetHere(record)
    }
  }

  private func forgetHere(_ record: SessionRecord) {
    store.remove(record.identifier + ".json", in: path)
    sessions.withdraw(dead: record)
  }

  /// Removes the records that are set aside, if the recording was reported as lost, is older than
  /// `longestKnown`, and left no part.
  func removeOutdated() {
    for record in allAside
    where record.isReported && !isLeft(record)
      && KernelClock.realTime.now - record.began > Self.longestKnown
    {
      store.remove(record.identifier + ".json", in: path)
    }
  }
}
