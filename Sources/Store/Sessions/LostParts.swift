internal import Control
package import Linux

extension SessionRecord {
  /// Returns the position of a part in the take, or nil for a file that the session does not know.
  package func position(ofPart status: FileStatus) -> RecordedPart.TakePosition? {
    part(status)?.position
  }

  /// Returns the part with the number of a file, or nil for a file that the session does not know.
  package func part(_ status: FileStatus) -> RecordedPart? {
    parts.first { $0.file == RecordedPart.Number(status) }
  }

  /// Returns true if the path of a part leads to that file.
  fileprivate func leads(to status: FileStatus) -> Bool {
    parts.contains { part in
      (try? FileStatus(of: part.path, following: false))?.isSameFile(as: status) == true
    }
  }

  /// Returns true if the session knows the file by its number and its name. The directory of the
  /// part was then renamed.
  fileprivate func knows(_ status: FileStatus, named name: String) -> Bool {
    parts.contains { $0.path.pathParts.name.isSameName(as: name) }
      && position(ofPart: status) != nil
  }
}

/// Parts of dead sessions that are not at their paths. They or their directories were renamed,
/// moved or deleted.
///
/// A live session writes new paths of its directories to its record within a second.
extension SessionStore {
  /// The maximum age of a recording whose loss was reported. Until then its part can still be
  /// recognized.
  private static var longestKnown: Duration { .seconds(30 * 86_400) }

  /// Returns the record of a part, by its inode and its name. Any path may lead to the part.
  package func record(ofPart status: FileStatus, named name: String) -> SessionRecord? {
    let stores = [self] + others
    let known = stores.lazy.flatMap { $0.records + $0.setAside }
    return known.first { $0.leads(to: status) }
      ?? stores.lazy.flatMap { $0.records + $0.allAside }.first { $0.knows(status, named: name) }
  }

  /// Returns the record of a part that was renamed, or nil for a file that is not a lost part.
  ///
  /// The number of a deleted part may have been reused for another file. A file that is older than
  /// the recording, and a saved take, are therefore not accepted.
  package func record(ofMovedPart status: FileStatus, at path: String) -> SessionRecord? {
    let dead = records.filter(isDead) + allAside
    let record = dead.first { record in
      record.part(status) != nil && status.modified >= record.began && isLost(record)
    }
    return record == nil || take(at: path) == nil ? record : nil
  }

  /// The dead recordings whose parts are missing, except those already reported.
  package var lost: [SessionRecord] {
    (records.filter(isDead) + allAside).filter { !$0.isReported && isLost($0) }
  }

  private func isDead(_ record: SessionRecord) -> Bool {
    SessionName(record.name).map { !isLive($0) } ?? false
  }

  /// Returns true if any part of a session is at its path.
  func isLeft(_ record: SessionRecord) -> Bool {
    record.parts.contains { isLeft($0, of: record) }
  }

  /// Returns true if a part is at its path. A session uses only free paths, so a file at a path
  /// that a later session names is the part of that session.
  private func isLeft(_ part: RecordedPart, of record: SessionRecord) -> Bool {
    part.isLeft
      && !records.contains { later in
        later.identifier != record.identifier && later.began > record.began
          && later.parts.contains { $0.path.isSameName(as: part.path) }
      }
  }

  /// Returns true if all parts of a dead session are missing from their paths, and at least one of
  /// them was not saved.
  package func isLost(_ record: SessionRecord) -> Bool {
    !record.parts.isEmpty && !isLeft(record) && !isElsewhere(record) && !missing(of: record).isEmpty
  }

  /// Returns the parts of a dead session that are neither at their paths nor in the catalogue.
  private func missing(of record: SessionRecord) -> [RecordedPart] {
    let gone = record.parts.filter { !isLeft($0, of: record) }
    guard !gone.isEmpty else { return [] }
    let saved = takes.filter { $0.identifier == record.identifier && $0.path != nil }
      .map { $0.segment ?? 1 }
    return gone.filter { !saved.contains($0.position.segment ?? 1) }
  }

  /// Returns true if nothing of a dead session remains to be recovered, apart from files that were
  /// just recovered or had no sound.
  package func isComplete(_ record: SessionRecord, without done: [FileStatus]) -> Bool {
    let numbers = done.map(RecordedPart.Number.init)
    return !isLeft(record)
      && missing(of: record).allSatisfy { part in part.file.map(numbers.contains) ?? false }
  }

  /// Marks a lost recording as reported. Its record is kept for a while, because its part may be
  /// found under another name.
  package func noteReported(_ record: SessionRecord) {
    var reported = record
    reported.isReported = true
    let name = record.identifier + ".json"
    guard (try? write(reported.json, to: name, in: paths.interrupted)) != nil else { return }
    withdraw(dead: record)
  }

  /// Returns true if the record of a lost recording is no longer needed.
  func isOutdated(_ record: SessionRecord) -> Bool {
    record.isReported && !isLeft(record)
      && KernelClock.realTime.now - record.began > Self.longestKnown
  }
}
