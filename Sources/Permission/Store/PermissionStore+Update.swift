package import Linux

/// The result of an update, which may have changed nothing.
package struct StoreUpdate: Hashable, Sendable {
  /// The records before the update.
  package let before: UserRecords
  /// The records after the update.
  package let after: UserRecords
  /// The error that left a refusal as a marker only; nil if it was written.
  package let shortage: SystemError?
  /// The failure to audit the update; nil if it was audited.
  package let auditFailure: StoreFailure?
}

extension PermissionStore {
  /// Changes the store under its lock.
  ///
  /// - Parameters:
  /// - time: the time of the refusal that a marker stands for.
  /// - clock: finds grants that are over and can be dropped to make room; nil keeps them.
  /// - event: the audit event, made after the change.
  /// - decide: the change to make to the current records; nil changes nothing.
  package func update(
    at time: WallTime, clock: ClockReading? = nil,
    event: (UserRecords) -> AuditEvent? = { _ in nil },
    _ decide: (UserRecords) -> Change?
  ) throws(StoreFailure) -> StoreUpdate {
    try withLock { directory throws(StoreFailure) in
      let before = records(in: directory)
      if case .unusable(let fault) = before { throw .unusable(fault) }
      guard let change = decide(before) else {
        return StoreUpdate(before: before, after: before, shortage: nil, auditFailure: nil)
      }
      let shortage = try write(change, over: before, at: time, clock, in: directory)
      let after = records(in: directory)
      let failure = audit.tell(event(after), in: directory)
      return StoreUpdate(before: before, after: after, shortage: shortage, auditFailure: failure)
    }
  }

  /// Moves a file that cannot be trusted away; returns its new path and a failure to audit the
  /// move, or nil if there is no such file.
  package func moveAway(
    at time: WallTime, event: AuditEvent? = nil
  ) throws(StoreFailure) -> (place: String, auditFailure: StoreFailure?)? {
    try withLock { directory throws(StoreFailure) in
      let mark = ".bad-\(time.rfc3339)"
      let own = try StoreFailure.wrapping { () throws(SystemError) in
        try moveOwnAside(mark, in: directory)
      }
      if let own { return (own, audit.tell(event, in: directory)) }
      let place = Self.file + mark
      let moved = try StoreFailure.wrapping { () throws(SystemError) in
        try moveAside(to: place, in: directory)
      }
      guard moved else { return nil }
      return (directory.path(of: place), audit.tell(event, in: directory))
    }
  }

  /// True if a decision could be stored now; tried with a temporary file.
  package func canStore() -> Bool {
    do throws(StoreFailure) {
      try withLock { directory throws(StoreFailure) in
        try StoreFailure.wrapping { () throws(SystemError) in
          let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: 4_096)
          try AtomicFile.write(bytes.span, to: Self.probe, in: directory)
          try directory.remove(Self.probe)
        }
      }
      return true
    } catch {
      return false
    }
  }

  /// The audit beside the store.
  package var audit: Audit { Audit(store: self) }

  /// Opens the directory, creating it if necessary, and holds the lock while `body` runs.
  func withLock<Answer>(
    _ body: (borrowing Directory) throws(StoreFailure) -> Answer
  ) throws(StoreFailure) -> Answer {
    let directory = try openDirectory()
    let lock = try takeLock(in: directory)
    return try withExtendedLifetime(lock) { () throws(StoreFailure) in try body(directory) }
  }

  func openDirectory() throws(StoreFailure) -> Directory {
    do {
      try Ancestors.check(above: path, owner: binding.user)
      return try PrivateDirectory.make(at: path, owner: binding.user)
    } catch {
      throw .unusable(.place(error))
    }
  }

  private func takeLock(in directory: borrowing Directory) throws(StoreFailure) -> FileLock {
    do {
      return try FileLock(Self.lock, in: directory, waitingUpTo: patience)
    } catch {
      throw error.errno == .timedOut ? .locked(directory.path(of: Self.lock)) : .system(error)
    }
  }

  /// Moves the file aside; false if there was nothing to move.
  private func moveAside(
    to place: String, in directory: borrowing Directory
  ) throws(SystemError) -> Bool {
    do {
      try directory.renameWithoutReplacing(Self.file, to: place)
    } catch {
      if error.errno == .noSuchFile { return false }
      throw error
    }
    try removeMarker(in: directory)
    try directory.synchronize()
    return true
  }
}
