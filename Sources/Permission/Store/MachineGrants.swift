internal import Linux

/// The grants of this machine in a home directory that several machines share.
///
/// The shared file has all refusals, and the grants of the machine that wrote the file first. Each
/// other machine has a file with its own grants, in the directory `kind.grants`. Every machine
/// reads the shared file, even if it runs an older version of the program. So a refusal applies on
/// every machine. Only a refusal removes the grants of other machines.
struct MachineGrants {
  let owner: StoreOwner
  /// The kind of the clients that the grants are for.
  let kind: Client.Kind

  private static let suffix = ".json"

  private var file: String { owner.machine + Self.suffix }

  /// Returns the ledger that applies on this machine: its own grants and the refusals of the shared
  /// file. If this machine owns the shared file, or has no file of grants, returns the shared
  /// ledger.
  func joined(
    with shared: Ledger?, in directory: borrowing Directory
  ) throws(TrustFault) -> Ledger? {
    guard shared?.owner != owner, let own = try read(in: directory) else { return shared }
    let refusals = shared?.records.filter { $1.isDenial } ?? [:]
    return Ledger(
      generation: shared?.generation ?? own.generation, owner: owner,
      records: own.records.merging(refusals), sessionGrants: own.sessionGrants, kind: kind)
  }

  /// Reads this machine's file. Returns nil if it does not exist or was copied from another
  /// machine.
  func read(in directory: borrowing Directory) throws(TrustFault) -> Ledger? {
    guard let grantDirectory = try existing(in: directory),
      let ledger = try Ledger.read(file, in: grantDirectory, of: kind, for: owner),
      ledger.owner == owner
    else { return nil }
    return ledger
  }

  private func existing(in directory: borrowing Directory) throws(TrustFault) -> Directory? {
    let path = directory.path(of: kind.grants)
    return try TrustFault.of(path, PrivateDirectory.openIfPresent(path, owner: owner.user))
  }
}

extension MachineGrants {
  /// Replaces this machine's file.
  func replace(_ ledger: Ledger, in directory: borrowing Directory) throws {
    let grantDirectory = try PrivateDirectory.make(
      at: directory.path(of: kind.grants), owner: owner.user)
    guard ledger.fits else {
      throw StoreFailure.full(grantDirectory.path(of: file), limit: kind.conditions.largest)
    }
    try? AtomicFile.removeLeftovers(of: file, in: grantDirectory)
    try AtomicFile.write(ledger.encoded.span, to: file, in: grantDirectory)
  }

  /// Opens the directory with the files of grants. Returns nil if it is missing or cannot be
  /// trusted.
  private func trusted(in directory: borrowing Directory) -> Directory? {
    try? PrivateDirectory.open(directory.path(of: kind.grants), owner: owner.user)
  }

  /// Removes the grants in a refused scope on every machine, because a later reset of the refusal
  /// must not restore them.
  ///
  /// A file of grants is removed if no grants are left, or if it cannot be read or rewritten. The
  /// removal of a file needs no disk space.
  func drop(_ scope: Scope, in directory: borrowing Directory) {
    guard let grantDirectory = trusted(in: directory), let names = try? grantDirectory.names()
    else { return }
    for name in names where name.ends(with: Self.suffix) && !name.begins(with: ".") {
      let former = try? Ledger.read(name, in: grantDirectory, of: kind, for: owner)
      let next = former.map { $0.applying(.forget(scope), for: $0.owner) }
      guard let next, !next.records.isEmpty || !next.sessionGrants.isEmpty,
        (try? AtomicFile.write(next.encoded.span, to: name, in: grantDirectory)) != nil
      else {
        try? grantDirectory.remove(name)
        continue
      }
    }
    try? grantDirectory.synchronize()
  }

  /// Removes this machine's file. Call this after the shared file contains the grants of this
  /// machine.
  func remove(in directory: borrowing Directory) {
    guard let grantDirectory = trusted(in: directory) else { return }
    try? grantDirectory.remove(file)
  }

  /// Moves this machine's file away if it cannot be trusted. Returns its new path, or nil if the
  /// file was not moved.
  func moveAside(_ mark: String, in directory: borrowing Directory) throws(SystemError) -> String? {
    guard let grantDirectory = trusted(in: directory) else { return nil }
    do {
      _ = try Ledger.read(file, in: grantDirectory, of: kind, for: owner)
      return nil
    } catch {}
    try grantDirectory.renameWithoutReplacing(file, to: file + mark)
    return grantDirectory.path(of: file + mark)
  }
}

extension Ledger {
  /// Returns this shared ledger after a change by a machine that does not own it, or nil if the
  /// change does not affect the shared ledger.
  func sharing(_ change: LedgerChange) -> Ledger? {
    switch change {
    case .record(_, let record) where record.isDenial: applying(change, for: owner)
    case .record(let scope, _): lifting(scope.subjects.contains)
    case .forget(let scope): lifting(scope.contains)
    case .sessionGrant, .end: nil
    }
  }

  /// Returns the ledger without the refusals of some subjects, or nil if it has no such refusals.
  private func lifting(_ isMeant: (Subject) -> Bool) -> Ledger? {
    let kept = records.filter { !$1.isDenial || !isMeant($0) }
    guard kept.count < records.count else { return nil }
    var next = self
    next.records = kept
    next.generation += 1
    return next
  }
}
