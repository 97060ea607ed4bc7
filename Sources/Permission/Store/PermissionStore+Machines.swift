internal import Linux

/// A home that several machines share: one file with every refusal and the grants of the machine
/// that wrote it first, and a file of grants for each further machine.
///
/// Every machine and every earlier release reads the first file, so a refusal counts everywhere; no
/// machine overwrites the grants of another.
extension PermissionStore {
  /// The directory of the further machines' grants.
  static let grants = "grants"
  private static let suffix = ".json"

  private var ownFile: String { binding.machine + Self.suffix }

  /// The directories to watch for a change that may end a permission.
  package var watched: [String] { [path, "\(path)/\(Self.grants)"] }

  /// The shared ledger and this machine's own as records.
  func records(
    sharing shared: Ledger?, in directory: borrowing Directory
  ) throws(StoreFault) -> UserRecords {
    try joined(shared, in: directory).map { .ledger($0) } ?? .absent
  }

  /// The ledger of this machine: its grants, and the refusals of the shared file.
  private func joined(
    _ shared: Ledger?, in directory: borrowing Directory
  ) throws(StoreFault) -> Ledger? {
    guard shared?.binding != binding, let own = try ownLedger(in: directory) else { return shared }
    let refusals = shared?.records.filter { $1.isDenial } ?? [:]
    return Ledger(
      generation: shared?.generation ?? own.generation, binding: binding,
      records: own.records.merging(refusals) { $1 }, passes: own.passes)
  }

  /// This machine's file beside the shared one; nil if there is none or it was copied from another
  /// machine.
  private func ownLedger(in directory: borrowing Directory) throws(StoreFault) -> Ledger? {
    guard let place = try grantsDirectory(in: directory),
      let ledger = try ledger(ownFile, in: place), ledger.binding == binding
    else { return nil }
    return ledger
  }

  private func grantsDirectory(
    in directory: borrowing Directory
  ) throws(StoreFault) -> Directory? {
    do {
      return try PrivateDirectory.open(directory.path(of: Self.grants), owner: binding.user)
    } catch {
      if case .system(let reason) = error.reason, reason.errno == .noSuchFile { return nil }
      throw .place(error)
    }
  }
}

extension PermissionStore {
  /// The shared file if it holds the grants of another machine; else nil.
  func foreignLedger(
    _ records: UserRecords, in directory: borrowing Directory
  ) throws(StoreFailure) -> Ledger? {
    guard case .ledger = records else { return nil }
    do {
      let shared = try ledger(Self.file, in: directory)
      return shared?.binding == binding ? nil : shared
    } catch {
      throw .unusable(error)
    }
  }

  /// Writes the shared file after a change, then the grants of this machine.
  ///
  /// In this order, because a failure in between then leaves less allowed, never more.
  func write(
    _ change: Change, beside shared: Ledger, _ clock: ClockReading?,
    in directory: borrowing Directory
  ) throws(StoreFailure) -> SystemError? {
    let own: Ledger
    do {
      own = try ownLedger(in: directory) ?? .empty(binding)
    } catch {
      throw .unusable(error)
    }
    let next = shared.sharing(change)
    if let next, let shortage = try replace(next, change, in: directory) { return shortage }
    if case .record(let client, let record) = change, record.isDenial {
      dropGrants(of: client, in: directory)
    } else {
      var next = own.applying(change, for: binding)
      if !next.fits, let clock { next = next.withoutOldGrants(clock) }
      try replaceOwn(next, in: directory)
    }
    return nil
  }

  private func replaceOwn(
    _ ledger: Ledger, in directory: borrowing Directory
  ) throws(StoreFailure) {
    let place = try makeGrantsDirectory(in: directory)
    guard ledger.fits else { throw .full(place.path(of: ownFile)) }
    try? AtomicFile.removeLeftovers(of: ownFile, in: place)
    try StoreFailure.wrapping { () throws(SystemError) in
      try AtomicFile.write(ledger.encoded.span, to: ownFile, in: place)
    }
  }

  /// Opens the grants directory; nil if it is missing or cannot be trusted.
  private func openGrants(in directory: borrowing Directory) -> Directory? {
    try? PrivateDirectory.open(directory.path(of: Self.grants), owner: binding.user)
  }

  private func makeGrantsDirectory(
    in directory: borrowing Directory
  ) throws(StoreFailure) -> Directory {
    do {
      return try PrivateDirectory.make(at: directory.path(of: Self.grants), owner: binding.user)
    } catch {
      throw .unusable(.place(error))
    }
  }

  /// Removes the grants of every machine to a refused client: a later reset must not restore them.
  ///
  /// A file that cannot be rewritten is removed, which needs no disk space.
  func dropGrants(of client: Client, in directory: borrowing Directory) {
    guard let place = openGrants(in: directory), let names = try? place.names() else { return }
    for name in names where name.hasSuffix(Self.suffix) && !name.hasPrefix(".") {
      let former = try? ledger(name, in: place)
      let next = former.map { $0.applying(.forget(client), for: $0.binding) }
      guard client != .everyone, let next,
        (try? AtomicFile.write(next.encoded.span, to: name, in: place)) != nil
      else {
        try? place.remove(name)
        continue
      }
    }
    try? place.synchronize()
  }

  /// Removes this machine's file once the shared one holds its grants.
  func removeOwn(in directory: borrowing Directory) {
    guard let place = openGrants(in: directory) else { return }
    try? place.remove(ownFile)
  }

  /// Moves this machine's file away if it is the one that cannot be trusted; returns its new path.
  func moveOwnAside(
    _ mark: String, in directory: borrowing Directory
  ) throws(SystemError) -> String? {
    guard isGood(Self.file, in: directory),
      let place = openGrants(in: directory), !isGood(ownFile, in: place)
    else { return nil }
    try place.renameWithoutReplacing(ownFile, to: ownFile + mark)
    return place.path(of: ownFile + mark)
  }
}

extension PermissionStore {
  /// True for a file that is absent or can be trusted.
  private func isGood(_ name: String, in directory: borrowing Directory) -> Bool {
    do {
      _ = try ledger(name, in: directory)
      return true
    } catch {
      return false
    }
  }
}

extension Ledger {
  /// The shared file after a change by another machine than its own; nil if it stays as it is.
  func sharing(_ change: Change) -> Ledger? {
    switch change {
    case .record(_, let record) where record.isDenial: applying(change, for: binding)
    case .record(let client, _): lifting { $0 == client }
    case .forget(.everyone): lifting { _ in true }
    case .forget(let client): lifting { $0 == client }
    case .pass, .end: nil
    }
  }

  /// The ledger without the refusals of some clients; nil if there are none.
  private func lifting(_ isMeant: (Client) -> Bool) -> Ledger? {
    let kept = records.filter { !$1.isDenial || !isMeant($0) }
    guard kept.count < records.count else { return nil }
    return Ledger(
      generation: generation + 1, binding: binding, records: kept, passes: passes)
  }
}
