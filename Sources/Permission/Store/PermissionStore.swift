internal import Linux

/// The file of the user's decisions; never repaired, and never overwritten after it failed a check.
package struct PermissionStore: Sendable {
  /// The directory of the file, its lock and its audit.
  package let path: String
  /// The user and machine that it decides for.
  package let binding: Binding
  /// The longest wait for another writer.
  package let patience: Duration

  static let file = "permissions.json"
  static let lock = "permissions.lock"
  static let probe = "permissions.probe"
  static let marker = "permissions.denied"

  /// - Parameter path: an absolute path; the first change creates the directory.
  package init(path: String, binding: Binding, patience: Duration = .seconds(5)) {
    self.path = path
    self.binding = binding
    self.patience = patience
  }
}

extension PermissionStore {
  /// Reads the user's decisions; neither writes nor waits.
  package func read() -> UserRecords {
    do {
      try Ancestors.check(above: path, owner: binding.user)
      return records(in: try PrivateDirectory.open(path, owner: binding.user))
    } catch {
      if case .system(let reason) = error.reason, reason.errno == .noSuchFile { return .absent }
      return .unusable(.place(error))
    }
  }

  /// Reads the records of the open directory.
  ///
  /// A refusal may move from the file to the marker or back during the read; in this order, and
  /// with a second look at a missing file, the read finds it in one of the two.
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

  /// Reads the ledger of a file; nil if there is none.
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

  /// True if a marker exists, of any file type: a refusal that did not fit into the file.
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
