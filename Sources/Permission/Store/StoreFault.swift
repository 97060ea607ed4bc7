package import JSON
package import Linux

/// The reason that the user's decisions cannot be trusted; only refusals count then.
package enum StoreFault: Error, Hashable, Sendable {
  /// The store's directory cannot be used.
  case directory(DirectoryRefusal)
  case file(String, FileFlaw)
  case contents(String, LedgerFlaw)

  /// True if moving the file away repairs the fault.
  package var canBeMovedAway: Bool {
    if case .directory = self { false } else { true }
  }
}

/// A fault in the bytes of a store.
package enum LedgerFlaw: Error, Hashable, Sendable {
  /// The file does not begin with a checksum line.
  case noChecksum
  /// The checksum does not match the bytes.
  case checksum
  /// The JSON is not in the form that this program writes.
  case malformed(JSONError)
}

/// The reason that a decision or an audit event was not stored.
package enum StoreFailure: Error, Hashable, Sendable {
  /// The existing files cannot be trusted and are not overwritten.
  case unusable(StoreFault)
  /// Another process held the lock for too long; the path.
  case locked(String)
  case system(SystemError)
  /// Another decision would make the file too large to be read again; the path.
  case full(String)
  /// Another process wrote in spite of the lock; the path and the expected generation.
  case interference(String, expected: UInt64)

  /// Runs a system call and throws its error as a failure.
  static func wrapping<Result: ~Copyable>(
    _ call: () throws(SystemError) -> Result
  ) throws(StoreFailure) -> Result {
    do {
      return try call()
    } catch {
      throw .system(error)
    }
  }
}
