/// Files that a reader finds either as they were or as they become, whatever dies in between.
package enum AtomicFile {
  /// Replaces or makes `name`; once this returns, the new bytes survive a power cut.
  ///
  /// When it throws, the old file stands as it was and no temporary one is left, except where
  /// the directory's own `fsync` failed: then the new file stands and may not survive a power cut.
  package static func write(
    _ bytes: Span<UInt8>, to name: String, in directory: borrowing Directory, mode: UInt32 = 0o600
  ) throws(SystemError) {
    let temporary = try temporaryName(of: name)
    do {
      try fill(temporary, with: bytes, in: directory, mode: mode)
      try directory.rename(temporary, to: name)
    } catch {
      // The first failure is the one to report, and `exists` means that the file is not ours.
      if error.errno != .exists { try? directory.remove(temporary) }
      throw error
    }
    try directory.synchronize()
  }

  /// Removes what writers of `name` that were killed have left; only under the lock of `name`.
  package static func removeLeftovers(
    of name: String, in directory: borrowing Directory
  ) throws(SystemError) {
    let stray = try directory.names().filter { isTemporary($0, of: name) }
    for leftover in stray { try directory.remove(leftover) }
  }

  private static func fill(
    _ temporary: String, with bytes: Span<UInt8>, in directory: borrowing Directory, mode: UInt32
  ) throws(SystemError) {
    let file = try directory.open(
      temporary, [.writeOnly, .create, .exclusive, .noFollow], mode: mode)
    try file.writeAll(bytes)
    try file.synchronize()
  }

  // Random, because names made from the process id collide once the kernel uses an id again.
  static func temporaryName(of name: String) throws(SystemError) -> String {
    ".\(name).\(try RandomBytes.hexadecimal(8)).tmp"
  }

  private static func isTemporary(_ candidate: String, of name: String) -> Bool {
    let prefix = ".\(name)."
    guard candidate.hasPrefix(prefix), candidate.hasSuffix(".tmp") else { return false }
    let middle = candidate.dropFirst(prefix.count).dropLast(4)
    return middle.count == 16 && middle.allSatisfy(\.isHexDigit)
  }
}
