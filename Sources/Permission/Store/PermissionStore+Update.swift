package import Linux

/// A change that was made, or found to be needless.
package struct StoreUpdate: Hashable, Sendable {
  /// What the store held.
  package let before: UserRecords
  /// What it holds now.
  package let after: UserRecords
  /// Why a "no" could only be left as a marker.
  package let shortage: SystemError?
  /// Why the audit does not tell of it.
  package let auditFailure: StoreFailure?
}

extension PermissionStore {
  /// Changes the file under its lock.
  ///
  /// - Parameters:
  ///   - time: the moment to write into what a marker stands for.
  ///   - event: what the audit is to tell, once it is done.
  ///   - decide: what to do about what stands there now; nil changes nothing.
  package func update(
    at time: WallTime, event: (UserRecords) -> AuditEvent? = { _ in nil },
    _ decide: (UserRecords) -> Change?
  ) throws(StoreFailure) -> StoreUpdate {
    try withLock { directory throws(StoreFailure) in
      let before = records(in: directory)
      if case .unusable(let fault) = before { throw .unusable(fault) }
      guard let change = decide(before) else {
        return StoreUpdate(before: before, after: before, shortage: nil, auditFailure: nil)
      }
      let shortage = try write(change, over: before, at: time, in: directory)
      let after = records(in: directory)
      let failure = audit.tell(event(after), in: directory)
      return StoreUpdate(before: before, after: after, shortage: shortage, auditFailure: failure)
    }
  }

  /// Moves a file that cannot be trusted aside and returns where it lies now; nil where there is none.
  package func moveAway(
    at time: WallTime, event: AuditEvent? = nil
  ) throws(StoreFailure) -> String? {
    try withLock { directory throws(StoreFailure) in
      let mark = ".bad-\(time.rfc3339)"
      let own = try StoreFailure.wrapping { () throws(SystemError) in
        try moveOwnAside(mark, in: directory)
      }
      if let own {
        _ = audit.tell(event, in: directory)
        return own
      }
      let place = Self.file + mark
      let moved = try StoreFailure.wrapping { () throws(SystemError) in
        try moveAside(to: place, in: directory)
      }
      guard moved else { return nil }
      _ = audit.tell(event, in: directory)
      return directory.path(of: place)
    }
  }

  /// The audit beside the store.
  package var audit: Audit { Audit(store: self) }

  /// Opens the directory, made where it is missing, and holds the lock for as long as `body` runs.
  func withLock<Answer>(
    _ body: (borrowing Directory) throws(StoreFailure) -> Answer
  ) throws(StoreFailure) -> Answer {
    let directory = try openDirectory()
    let lock = try takeLock(in: directory)
    return try withExtendedLifetime(lock) { () throws(StoreFailure) in try body(directory) }
  }

  func openDirectory() throws(StoreFailure) -> Directory {
    do {
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

  /// False where there was nothing to move.
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
