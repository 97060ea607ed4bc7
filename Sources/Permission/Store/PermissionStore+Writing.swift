internal import Linux

extension PermissionStore {
  /// Writes the ledger after a change; a refusal that does not fit is left as a marker, and its
  /// error returned.
  func write(
    _ change: Change, over records: UserRecords, at time: WallTime, _ clock: ClockReading?,
    in directory: borrowing Directory
  ) throws(StoreFailure) -> SystemError? {
    // Leftovers of killed writers; if they cannot be removed, the next write reports it.
    try? AtomicFile.removeLeftovers(of: Self.file, in: directory)
    if let shared = try foreignLedger(records, in: directory) {
      return try write(change, beside: shared, clock, in: directory)
    }
    var next = base(records, at: time, in: directory).applying(change, for: binding)
    if !next.fits, let clock { next = next.withoutOldGrants(clock) }
    if let shortage = try replace(next, change, in: directory) { return shortage }
    if case .marker = records { dropGrants(of: .everyone, in: directory) }
    if case .record(let client, let record) = change, record.isDenial {
      dropGrants(of: client, in: directory)
    }
    removeOwn(in: directory)
    return nil
  }

  /// Replaces the shared file; a refusal that does not fit is left as a marker, and its error
  /// returned.
  func replace(
    _ next: Ledger, _ change: Change, in directory: borrowing Directory
  ) throws(StoreFailure) -> SystemError? {
    guard next.fits else {
      let path = directory.path(of: Self.file)
      guard change.refuses, leaveMarker(in: directory) else { throw .full(path) }
      return SystemError("write", path, errno: .tooLarge)
    }
    do {
      try AtomicFile.write(next.encoded.span, to: Self.file, in: directory)
    } catch {
      guard change.refuses, leaveMarker(in: directory) else { throw .system(error) }
      return error
    }
    try confirm(next, in: directory)
    try StoreFailure.wrapping { () throws(SystemError) in try removeMarker(in: directory) }
    return nil
  }

  /// The ledger to change: under a marker only the refusals of the old file, and one for everyone.
  private func base(
    _ records: UserRecords, at time: WallTime, in directory: borrowing Directory
  ) -> Ledger {
    guard case .marker = records else { return records.base(for: binding, at: time) }
    let found = [Self.file, Self.marker].compactMap { name in
      try? ledger(name, in: directory)
    }
    let newest = found.max { $0.generation < $1.generation } ?? .empty(binding)
    return newest.refusingEveryone(at: time)
  }

  /// Detects writers that ignore the lock, as on some network filesystems.
  private func confirm(
    _ ledger: Ledger, in directory: borrowing Directory
  ) throws(StoreFailure) {
    let found = try? self.ledger(Self.file, in: directory)
    guard found?.generation == ledger.generation else {
      throw .interference(directory.path(of: Self.file), expected: ledger.generation)
    }
  }

  /// Leaves a marker by renaming the file, which needs no space, or by creating an empty one; true
  /// on success.
  private func leaveMarker(in directory: borrowing Directory) -> Bool {
    if (try? directory.rename(Self.file, to: Self.marker)) == nil {
      _ = try? directory.open(Self.marker, [.writeOnly, .create, .noFollow, .nonBlocking])
    }
    try? directory.synchronize()
    return (try? hasMarker(in: directory)) == true
  }

  /// Removes the marker; does nothing if there is none.
  func removeMarker(in directory: borrowing Directory) throws(SystemError) {
    do {
      try directory.remove(Self.marker)
    } catch {
      if error.errno == .noSuchFile { return }
      throw error
    }
    try directory.synchronize()
  }
}

extension Ledger {
  /// True if the written file would be small enough to read again.
  var fits: Bool { encoded.count <= CheckedFile.store.largest }
}

extension Change {
  /// True if the change is a refusal, which must hold even if it cannot be written.
  fileprivate var refuses: Bool {
    if case .record(_, let record) = self { record.isDenial } else { false }
  }
}
