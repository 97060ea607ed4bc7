internal import Linux

/// A home that several machines share: one file with every "no" and the grants of the machine that it was first
/// written on, and beside it a file of grants for each further machine.
///
/// Every machine reads the first file, former releases too, so a "no" counts everywhere; and no machine writes over
/// the grants of another.
extension PermissionStore {
  /// The directory of the further machines' grants.
  static let grants = "grants"
  private static let suffix = ".json"

  private var ownFile: String { binding.machine + Self.suffix }

  /// The places in which a change may end a permission.
  package var watched: [String] { [path, "\(path)/\(Self.grants)"] }

  /// The same as records.
  func records(
    sharing shared: Ledger?, in directory: borrowing Directory
  ) throws(StoreFault) -> UserRecords {
    try joined(shared, in: directory).map { .ledger($0) } ?? .absent
  }

  /// The ledger of this machine, given the shared one.
  private func joined(
    _ shared: Ledger?, in directory: borrowing Directory
  ) throws(StoreFault) -> Ledger? {
    guard shared?.binding != binding, let own = try ownLedger(in: directory) else { return shared }
    let refusals = shared?.records.filter { $1.isDenial } ?? [:]
    return Ledger(
      generation: shared?.generation ?? own.generation, binding: binding,
      records: own.records.merging(refusals) { $1 }, passes: own.passes)
  }

  /// This machine's file beside the shared one; nil where there is none or it was copied here.
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
  /// The shared file, where it holds the grants of another machine.
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

  /// Writes what a change leaves of the shared file, then the grants of this machine.
  ///
  /// In this order, because whatever fails in between leaves less allowed, never more.
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

  /// The directory, where it is there and can be trusted.
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

  /// Takes back what any machine granted to a client that is refused: a later reset must not bring it to life again.
  ///
  /// A file that cannot be written anew is removed, which needs no room.
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

  /// Removes this machine's file, whose grants the shared one holds by now.
  func removeOwn(in directory: borrowing Directory) {
    guard let place = openGrants(in: directory) else { return }
    try? place.remove(ownFile)
  }

  /// Moves this machine's file aside where that is the one that cannot be trusted; returns where it lies.
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
  /// The shared file after a change on another machine than its own; nil where it stays as it is.
  func sharing(_ change: Change) -> Ledger? {
    switch change {
    case .record(_, let record) where record.isDenial: applying(change, for: binding)
    case .record(let client, _): lifting { $0 == client }
    case .forget(.everyone): lifting { _ in true }
    case .forget(let client): lifting { $0 == client }
    case .pass, .end: nil
    }
  }

  /// Without a "no" for some clients; grants stay.
  private func lifting(_ isMeant: (Client) -> Bool) -> Ledger? {
    let kept = records.filter { !$1.isDenial || !isMeant($0) }
    guard kept.count < records.count else { return nil }
    return Ledger(
      generation: generation + 1, binding: binding, records: kept, passes: passes)
  }
}
