package import Linux

extension SessionShelf {
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

  /// The record of a part, whatever path leads to it.
  package func record(ofPart status: FileStatus) -> SessionRecord? {
    (records + setAside + others.flatMap { $0.records + $0.setAside }).first { record in
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
    forgetHere(record)
    for shelf in others where shelf.owner?.name == gone { shelf.forgetHere(record) }
  }

  /// Forgets what a machine that is gone for good left beside its takes.
  package func forgetGone() {
    guard let gone else { return }
    for record in records + setAside where !record.isLeft && host(of: record)?.name == gone {
      forgetHere(record)
    }
  }

  private func forgetHere(_ record: SessionRecord) {
    remove(record.identifier + ".json", in: places.interrupted)
    if let note = SessionPlaces.host(of: record) { remove(note, in: places.interrupted) }
    guard let name = SessionName(record.name),
      let lock = (try? lock(name, waitingUpTo: .zero)) ?? nil
    else { return }
    if self.record(of: name)?.identifier == record.identifier { withdraw(name) }
    _ = consume lock
  }
}
