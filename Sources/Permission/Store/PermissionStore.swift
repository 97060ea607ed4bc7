internal import Linux

/// The file that holds what the user decided; never repaired, never written over once it failed a check.
package struct PermissionStore: Sendable {
  /// The directory of the file, its lock and its audit.
  package let path: String
  /// For whom it decides.
  package let binding: Binding
  /// How long a writer waits for another.
  package let patience: Duration

  static let file = "permissions.json"
  static let lock = "permissions.lock"
  static let probe = "permissions.probe"
  static let marker = "permissions.denied"

  /// - Parameter path: an absolute path; the directory is made by the first change.
  package init(path: String, binding: Binding, patience: Duration = .seconds(5)) {
    self.path = path
    self.binding = binding
    self.patience = patience
  }
}

extension PermissionStore {
  /// What the user decided; reads, and neither writes nor waits.
  package func read() -> UserRecords {
    do {
      try Ancestors.check(above: path, owner: binding.user)
      return records(in: try PrivateDirectory.open(path, owner: binding.user))
    } catch {
      if case .system(let reason) = error.reason, reason.errno == .noSuchFile { return .absent }
      return .unusable(.place(error))
    }
  }

  /// What the open directory holds.
  ///
  /// A "no" moves from the file to the marker and back while this reads; looked for in this order,
  /// and the file twice where it is missing, it is found in one of the two.
  func records(in directory: borrowing Directory) -> UserRecords {
    do throws(StoreFault) {
      let marker = UserRecords.marker(directory.path(of: Self.marker))
      if try hasMarker(in: directory) { return marker }
      let first = try ledger(Self.file, in: directory)
      if try hasMarker(in: directory) { return marker }
      if let first { return try records(sharing: first, in: directory) }
      return try records(sharing: ledger(Self.file, in: directory), in: directory)
    } catch {
      return .unusable(error)
    }
  }

  /// The ledger of a file, or nil where there is none.
  func ledger(
    _ name: String, in directory: borrowing Directory
  ) throws(StoreFault) -> Ledger? {
    let bytes: [UInt8]?
    do {
      bytes = try CheckedFile.store.read(name, in: directory, owner: binding.user)
    } catch {
      throw .file(directory.path(of: name), error)
    }
    do {
      return try bytes.map { bytes throws(LedgerFlaw) in try Ledger(decoding: bytes) }
    } catch {
      throw .contents(directory.path(of: name), error)
    }
  }

  /// Whether a "no" lies there that found no room in the file; of whatever kind it is, it counts.
  func hasMarker(in directory: borrowing Directory) throws(StoreFault) -> Bool {
    do {
      _ = try directory.status(of: Self.marker)
      return true
    } catch {
      if error.errno == .noSuchFile { return false }
      throw .file(directory.path(of: Self.marker), .unreadable(error))
    }
  }
}
