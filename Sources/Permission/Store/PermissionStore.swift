package import Linux

/// The file with the user's decisions about clients of one kind. It is never repaired, and never
/// overwritten after a failed check.
package struct PermissionStore: Sendable {
  /// The directory that contains the file, the lock and the audit.
  package let storage: StoreDirectory
  /// The kind of the clients. The stores of all kinds are in the same directory.
  package var kind = Client.Kind.caller

  private var file: String { kind.stem + ".json" }
  private var probe: String { kind.stem + ".probe" }
  private var marker: String { kind.stem + ".denied" }

  /// - Parameters:
  ///   - path: an absolute path. The first change creates the directory.
  ///   - patience: the longest wait for the lock, while another process writes.
  package init(path: String, owner: StoreOwner, patience: Duration = .seconds(5)) {
    storage = StoreDirectory(path: path, owner: owner, patience: patience)
  }

  /// The path of the directory.
  package var path: String { storage.path }

  /// The user and machine that the decisions apply to.
  package var owner: StoreOwner { storage.owner }

  /// The audit in the directory of the store.
  package var audit: Audit { Audit(storage: storage) }

  /// The paths of the shared file and of the marker, even if these files do not exist. The marker
  /// is a file whose existence represents a refusal that could not be written to the shared file.
  package var files: [String] { [file, marker].map { "\(path)/\($0)" } }

  /// The directories to watch for a change that may end a permission.
  package var watched: [String] { [path, "\(path)/\(kind.grants)"] }

  private var grants: MachineGrants { MachineGrants(owner: owner, kind: kind) }
}

extension PermissionStore {
  /// Reads the user's decisions. Neither writes nor waits.
  package func read() -> UserRecords {
    do {
      return records(in: try storage.open())
    } catch {
      return error.isOfMissing ? .absent : .unusable(.directory(error))
    }
  }

  /// Reads the records from the open directory.
  ///
  /// During the read, another process may move a refusal from the file to the marker or back. So
  /// the marker is checked before and after the file is read, and a missing file is read a second
  /// time. In this way, the refusal is always found.
  private func records(in directory: borrowing Directory) -> UserRecords {
    do throws(TrustFault) {
      let refusal = UserRecords.marker(directory.path(of: marker))
      if try hasMarker(in: directory) { return refusal }
      var shared = try ledger(file, in: directory)
      if try hasMarker(in: directory) { return refusal }
      if shared == nil { shared = try ledger(file, in: directory) }
      return try grants.joined(with: shared, in: directory).map { .ledger($0) } ?? .absent
    } catch {
      return .unusable(error)
    }
  }

  /// Reads the ledger from a file. Returns nil if the file does not exist.
  private func ledger(
    _ name: String, in directory: borrowing Directory
  ) throws(TrustFault) -> Ledger? {
    try Ledger.read(name, in: directory, of: kind, for: owner)
  }

  /// Returns whether a marker exists. It may have any file type.
  private func hasMarker(in directory: borrowing Directory) throws(TrustFault) -> Bool {
    try TrustFault.of(path, DirectoryRefusal.of(path, ifPresent(directory.status(of: marker))))
      != nil
  }
}

/// The result of an update, which may have changed nothing.
package struct StoreUpdate: Hashable, Sendable {
  /// The records after the update.
  package let after: UserRecords
  /// The error that prevented a refusal from being written, or nil if there was no error. After an
  /// error, only a marker represents the refusal.
  package var shortage: SystemError?
  /// The failure to audit the update, or nil if there was none.
  package var auditFailure: StoreFailure?
}

extension PermissionStore {
  /// Changes the store under its lock.
  ///
  /// - Parameters:
  ///   - time: the time of the refusal that a marker represents.
  ///   - clock: the clock reading for removing expired grants if the file would become too large,
  ///     or nil to keep these grants.
  ///   - events: returns the audit events after the change.
  ///   - decide: returns the change for the current records, or nil to change nothing.
  package func update(
    at time: WallTime, clock: ClockReading? = nil,
    events: (UserRecords) -> [AuditEvent] = { _ in [] },
    _ decide: (UserRecords) -> LedgerChange?
  ) throws(StoreFailure) -> StoreUpdate {
    try storage.withLock { directory in
      let before = records(in: directory)
      if case .unusable(let fault) = before { throw fault }
      guard let change = decide(before) else {
        return StoreUpdate(after: before)
      }
      let shortage = try write(change, over: before, at: time, clock, in: directory)
      let after = records(in: directory)
      let failure = audit.record(events(after), in: directory)
      return StoreUpdate(after: after, shortage: shortage, auditFailure: failure)
    }
  }

  /// Moves away a file that cannot be trusted: the shared file, or the file with the grants of this
  /// machine if the shared file can be trusted. Returns its new path and the failure to audit the
  /// move, or nil if there is no such file.
  package func moveAway(
    at time: WallTime, events: [AuditEvent] = []
  ) throws(StoreFailure) -> (path: String, auditFailure: StoreFailure?)? {
    try storage.withLock { directory in
      let mark = ".bad-\(time.rfc3339)"
      let moved =
        if isGood(file, in: directory) {
          try grants.moveAside(mark, in: directory)
        } else {
          try moveAside(to: file + mark, in: directory)
        }
      return moved.map { ($0, audit.record(events, in: directory)) }
    }
  }

  /// Returns whether a decision could be stored now. Writes a temporary file to find out.
  package func canStore() -> Bool {
    let isStored: Void? = try? storage.withLock { directory in
      let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: 4_096)
      try AtomicFile.write(bytes.span, to: probe, in: directory)
      try directory.remove(probe)
    }
    return isStored != nil
  }

  /// Returns whether a file is absent or can be trusted.
  private func isGood(_ name: String, in directory: borrowing Directory) -> Bool {
    do {
      _ = try ledger(name, in: directory)
      return true
    } catch {
      return false
    }
  }

  /// Moves the shared file aside, and returns its new path.
  private func moveAside(
    to name: String, in directory: borrowing Directory
  ) throws(SystemError) -> String {
    try directory.renameWithoutReplacing(file, to: name)
    try removeMarker(in: directory)
    try directory.synchronize()
    return directory.path(of: name)
  }
}

extension PermissionStore {
  /// Writes the ledger after a change. If a refusal cannot be written, leaves a marker for it and
  /// returns the error.
  private func write(
    _ change: LedgerChange, over records: UserRecords, at time: WallTime, _ clock: ClockReading?,
    in directory: borrowing Directory
  ) throws -> SystemError? {
    // Killed writers may have left temporary files. If they cannot be removed, the next write
    // reports the error.
    try? AtomicFile.removeLeftovers(of: file, in: directory)
    if let shared = try foreignLedger(records, in: directory) {
      return try write(change, beside: shared, clock, in: directory)
    }
    var next = base(records, at: time, in: directory).applying(change, for: owner)
    if !next.fits, let clock { next = next.withoutOldGrants(clock) }
    if let shortage = try replace(next, change, in: directory) { return shortage }
    if case .marker = records { grants.drop(.everything(kind), in: directory) }
    if case .record(let scope, let record) = change, record.isDenial {
      grants.drop(scope, in: directory)
    }
    grants.remove(in: directory)
    return nil
  }

  /// Returns the shared ledger if it has the grants of another machine, otherwise nil.
  private func foreignLedger(
    _ records: UserRecords, in directory: borrowing Directory
  ) throws(TrustFault) -> Ledger? {
    guard case .ledger = records else { return nil }
    let shared = try ledger(file, in: directory)
    return shared?.owner == owner ? nil : shared
  }

  /// Writes the effect of a change to the shared file, then to the grants of this machine.
  ///
  /// Because of this order, a failure between the two writes cannot allow more than the change
  /// does.
  private func write(
    _ change: LedgerChange, beside shared: Ledger, _ clock: ClockReading?,
    in directory: borrowing Directory
  ) throws -> SystemError? {
    let own = try grants.read(in: directory) ?? .empty(owner, of: kind)
    let next = shared.sharing(change)
    if let next, let shortage = try replace(next, change, in: directory) { return shortage }
    if case .record(let scope, let record) = change, record.isDenial {
      grants.drop(scope, in: directory)
    } else {
      var next = own.applying(change, for: owner)
      if !next.fits, let clock { next = next.withoutOldGrants(clock) }
      try grants.replace(next, in: directory)
    }
    return nil
  }

  /// Replaces the shared file. If a refusal cannot be written, leaves a marker for it and returns
  /// the error.
  private func replace(
    _ next: Ledger, _ change: LedgerChange, in directory: borrowing Directory
  ) throws -> SystemError? {
    guard next.fits else {
      let path = directory.path(of: file)
      guard change.refuses, leaveMarker(in: directory) else {
        throw StoreFailure.full(path, limit: kind.conditions.largest)
      }
      return SystemError("write", path, errno: .tooLarge)
    }
    do throws(SystemError) {
      try AtomicFile.write(next.encoded.span, to: file, in: directory)
    } catch {
      guard change.refuses, leaveMarker(in: directory) else { throw error }
      return error
    }
    try confirm(next, in: directory)
    try removeMarker(in: directory)
    return nil
  }

  /// Returns the ledger to change. If there is a marker, the ledger has only the refusals of the
  /// old file, and a refusal of everything.
  private func base(
    _ records: UserRecords, at time: WallTime, in directory: borrowing Directory
  ) -> Ledger {
    guard case .marker = records else {
      return records.base(for: owner, of: kind, at: time)
    }
    let found = [file, marker].compactMap { name in
      try? ledger(name, in: directory)
    }
    let newest = found.max { $0.generation < $1.generation } ?? .empty(owner, of: kind)
    return newest.refusingEverything(at: time)
  }

  /// Detects writers that ignore the lock, as on some network filesystems.
  private func confirm(_ ledger: Ledger, in directory: borrowing Directory) throws(StoreFailure) {
    let found = try? self.ledger(file, in: directory)
    guard found?.generation == ledger.generation else {
      throw .interference(directory.path(of: file), expected: ledger.generation)
    }
  }

  /// Leaves a marker: renames the file, which needs no disk space, or creates an empty marker.
  /// Returns true on success.
  private func leaveMarker(in directory: borrowing Directory) -> Bool {
    if (try? directory.rename(file, to: marker)) == nil {
      _ = try? directory.open(marker, [.writeOnly, .create, .noFollow, .nonBlocking])
    }
    try? directory.synchronize()
    return (try? hasMarker(in: directory)) == true
  }

  /// Removes the marker if it exists.
  private func removeMarker(in directory: borrowing Directory) throws(SystemError) {
    let removed: Void? = try ifPresent(directory.remove(marker))
    if removed != nil { try directory.synchronize() }
  }
}
