internal import Digest
package import Linux

/// The user and the machine that a store was written for.
package struct StoreOwner: Hashable, Sendable {
  /// The user ID.
  package let user: UInt32
  /// The digest of the machine's identity, or `none`.
  package let machine: String
}

extension StoreOwner {
  /// Creates an owner for a machine ID. A missing or empty ID, as in a chroot, becomes `none`.
  ///
  /// As machine-id(5) requires, the ID itself is not stored. Only a digest of the ID, together with
  /// a constant of this program, is stored.
  package init(user: UInt32, machineID: String?) {
    let identity = machineID.map { $0.filter { !$0.isWhitespace } } ?? ""
    let text = "recorder permission store 1\n" + identity
    self.init(user: user, machine: identity.isEmpty ? "none" : SHA256(of: text.utf8).hexadecimal)
  }

  /// True if the machine has no identity.
  package var hasNoMachine: Bool { machine == "none" }
}

/// The directory of the store and its audit. It is used only if no other user can have written to
/// it.
package struct StoreDirectory: Sendable {
  /// An absolute path; the first change creates the directory.
  let path: String
  /// The user and machine that the decisions apply to.
  let owner: StoreOwner
  /// The longest wait for the lock, while another process writes.
  let patience: Duration

  private static let lock = "permissions.lock"

  /// Opens the directory for reading. Throws if the directory does not exist, or if another user
  /// could have created it.
  func open() throws(DirectoryRefusal) -> Directory {
    try Ancestors.check(above: path, owner: owner.user)
    return try PrivateDirectory.open(path, owner: owner.user)
  }

  /// Opens the directory for a change, creating it if necessary.
  func make() throws(DirectoryRefusal) -> Directory {
    try Ancestors.check(above: path, owner: owner.user)
    return try PrivateDirectory.make(at: path, owner: owner.user)
  }

  /// Opens the directory, creating it if necessary, and holds the lock while `body` runs.
  func withLock<Result>(
    forReading isReading: Bool = false, _ body: (borrowing Directory) throws -> Result
  ) throws(StoreFailure) -> Result {
    try StoreFailure.translating {
      let directory = try make()
      let lock = try takeLock(in: directory, forReading: isReading)
      defer { withExtendedLifetime(lock) {} }
      return try body(directory)
    }
  }

  /// Takes the lock. Returns nil for a reader on a read-only disk, where no process can change a
  /// file.
  private func takeLock(
    in directory: borrowing Directory, forReading isReading: Bool
  ) throws -> FileLock? {
    do throws(SystemError) {
      return try FileLock(Self.lock, in: directory, waitingUpTo: patience)
    } catch {
      if isReading && error.errno == .readOnlyFilesystem { return nil }
      throw error.errno == .timedOut
        ? StoreFailure.locked(directory.path(of: Self.lock)) : .system(error)
    }
  }
}

/// The reason why a decision or an audit event was not stored.
package enum StoreFailure: Error, Hashable, Sendable {
  /// The existing files cannot be trusted and are not overwritten.
  case unusable(TrustFault)
  /// Another process held the lock for too long. The value is the path of the lock file.
  case locked(String)
  case system(SystemError)
  /// With the new decision, the file would be too large to be read again. The values are the path
  /// and the largest size, in bytes.
  case full(String, limit: Int64)
  /// Another process wrote despite the lock. The values are the path and the expected generation.
  case interference(String, expected: UInt64)

  /// Runs `body`. Throws its error as a `StoreFailure`.
  package static func translating<Result: ~Copyable>(
    _ body: () throws -> Result
  ) throws(StoreFailure) -> Result {
    try mapError({ StoreFailure($0) }, body)
  }

  init(_ error: any Error) {
    switch error {
    case let failure as StoreFailure: self = failure
    case let fault as TrustFault: self = .unusable(fault)
    case let refusal as DirectoryRefusal: self = .unusable(.directory(refusal))
    case let error as SystemError: self = .system(error)
    default: preconditionFailure("no step of the store throws \(error)")
    }
  }
}

extension StoreFailure {
  /// The warning that the start of a recording or a meter is missing in the permission log.
  package var startWarning: String { unwritten("the start of the capture") }
  /// The same warning about the end.
  package var endWarning: String { unwritten("the end of the capture") }

  /// Returns the warning that an event is missing in the permission log.
  package func unwritten(_ event: String) -> String {
    "\(event) could not be written to the permission log: \(self)"
  }
}

extension StoreFailure: CustomStringConvertible {
  /// The failure as a sentence, with its path quoted.
  package var description: String {
    switch self {
    case .unusable(let fault): "your permission files cannot be trusted: \(fault)"
    case .locked(let path): "\(PrintableText.quoted(path)) is locked by another process"
    case .system(let error): error.description
    case .full(let path, let limit):
      "\(PrintableText.quoted(path)) would be larger than \(TrustedFile.words(limit)), and could "
        + "not be read again"
    case .interference(let path, let generation):
      "\(PrintableText.quoted(path)) was changed by another program at the same time (generation "
        + "\(generation) is missing)"
    }
  }
}
