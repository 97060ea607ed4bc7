internal import Linux

/// The directory of the store and its audit, which only its owner can have written.
package struct StoreDirectory: Sendable {
  /// An absolute path; the first change creates the directory.
  let path: String
  /// The user and machine that the files decide for.
  let owner: StoreOwner
  /// The longest wait for another writer.
  private let patience: Duration

  private static let lock = "permissions.lock"

  init(path: String, owner: StoreOwner, patience: Duration) {
    self.path = path
    self.owner = owner
    self.patience = patience
  }

  /// Opens the directory for reading; throws where others could have placed it.
  func open() throws(DirectoryRefusal) -> Directory {
    try Ancestors.check(above: path, owner: owner.user)
    return try PrivateDirectory.open(path, owner: owner.user)
  }

  /// Opens the directory for a change, creating it if necessary.
  func make() throws(StoreFailure) -> Directory {
    do {
      try Ancestors.check(above: path, owner: owner.user)
      return try PrivateDirectory.make(at: path, owner: owner.user)
    } catch {
      throw .unusable(.directory(error))
    }
  }

  /// Opens the directory, creating it if necessary, and holds the lock while `body` runs.
  func withLock<Result>(
    _ body: (borrowing Directory) throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> Result {
    let directory = try make()
    let lock = try takeLock(in: directory)
    return try withExtendedLifetime(lock) { () throws(StoreFailure) in try body(directory) }
  }

  private func takeLock(in directory: borrowing Directory) throws(StoreFailure) -> FileLock {
    do {
      return try FileLock(Self.lock, in: directory, waitingUpTo: patience)
    } catch {
      throw error.errno == .timedOut ? .locked(directory.path(of: Self.lock)) : .system(error)
    }
  }
}
