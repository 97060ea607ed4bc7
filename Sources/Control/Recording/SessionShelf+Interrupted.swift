package import Linux

extension SessionShelf {
  /// The recordings whose sessions died, and whose parts are still there.
  package var interrupted: [SessionRecord] { records.filter(isInterrupted) + setAside }

  /// Whether the session of a record died and left what it had.
  package func isInterrupted(_ record: SessionRecord) -> Bool {
    guard record.isLeft, let name = SessionName(record.name) else { return false }
    return !isLive(name)
  }

  /// The session that still writes a part, by its record.
  package func writer(of record: SessionRecord) -> SessionRecord? {
    guard let name = SessionName(record.name), self.record(of: name) == record, isLive(name)
    else { return nil }
    return record
  }

  /// The record of a part, whatever path leads to it.
  package func record(ofPart status: FileStatus) -> SessionRecord? {
    (records + setAside).first { record in
      record.parts.contains { part in
        let other = try? FileStatus(of: part, following: false)
        return other?.device == status.device && other?.inode == status.inode
      }
    }
  }

  /// Removes the record of a dead session, whose take is whole now.
  ///
  /// A session of its name that lives has set it aside, or will find nothing to set aside.
  package func forget(_ record: SessionRecord) {
    remove(record.identifier + ".json", in: places.interrupted)
    guard let name = SessionName(record.name),
      let lock = (try? lock(name, waitingUpTo: .zero)) ?? nil
    else { return }
    if self.record(of: name)?.identifier == record.identifier { withdraw(name) }
    _ = consume lock
  }
}
