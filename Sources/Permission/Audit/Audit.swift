internal import Linux

/// The audit log of the permission: JSON lines beside the store, each written in one call.
package struct Audit: Sendable {
  let store: PermissionStore
  /// The size in bytes at which the file is rotated before the next event.
  private let largest: Int64
  static let file = "audit.jsonl"
  /// The number of rotated files that are kept.
  static let kept = 4

  /// The audit of `store`; `largest` is the size in bytes at which its file is rotated.
  package init(store: PermissionStore, largest: Int64 = 1 << 20) {
    self.store = store
    self.largest = largest
  }
}

extension Audit {
  /// Adds an event; takes the store's lock only if the file is full.
  package func append(_ event: AuditEvent) throws(StoreFailure) {
    let directory = try store.openDirectory()
    let line = event.line
    if try size(in: directory) + Int64(line.utf8.count) >= largest {
      try store.withLock { directory throws(StoreFailure) in
        try rotate(toFit: line, in: directory)
      }
    }
    try write(line, in: directory)
  }

  /// Adds an event under the store's lock, which the caller holds; returns the failure if it could
  /// not.
  func tell(_ event: AuditEvent?, in directory: borrowing Directory) -> StoreFailure? {
    guard let event else { return nil }
    let line = event.line
    do {
      try rotate(toFit: line, in: directory)
      try write(line, in: directory)
      return nil
    } catch {
      return error
    }
  }

  private func rotate(
    toFit line: String, in directory: borrowing Directory
  ) throws(StoreFailure) {
    // Asked again: while we waited for the lock somebody else may have done it.
    guard try size(in: directory) + Int64(line.utf8.count) >= largest else { return }
    for number in (0..<Self.kept).reversed() {
      do {
        try directory.rename(Self.name(number), to: Self.name(number + 1))
      } catch {
        if error.errno != .noSuchFile { throw .system(error) }
      }
    }
  }

  /// The file's name after `number` rotations: `audit.jsonl`, `audit.jsonl.1` and so on.
  static func name(_ number: Int) -> String { number == 0 ? file : "\(file).\(number)" }

  private func size(in directory: borrowing Directory) throws(StoreFailure) -> Int64 {
    do {
      return try directory.status(of: Self.file).size
    } catch {
      if error.errno == .noSuchFile { return 0 }
      throw .system(error)
    }
  }

  private func write(_ line: String, in directory: borrowing Directory) throws(StoreFailure) {
    let file = try StoreFailure.wrapping { () throws(SystemError) in
      try directory.open(Self.file, [.readWrite, .create, .append, .noFollow, .nonBlocking])
    }
    let status = try StoreFailure.wrapping { () throws(SystemError) in try file.status() }
    if let flaw = CheckedFile.audit.flaw(of: status, owner: store.binding.user) {
      throw .unusable(.file(directory.path(of: Self.file), flaw))
    }
    try StoreFailure.wrapping { () throws(SystemError) in
      try file.append(line: line)
    }
  }
}
