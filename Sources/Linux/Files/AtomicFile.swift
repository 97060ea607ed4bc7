/// Files that a reader finds either as they were or as they become, even after a crash in between.
package enum AtomicFile {
  /// Replaces or makes `name`; once this returns, the new bytes survive a power cut.
  ///
  /// If it throws, the old file is unchanged and no temporary one is left, except after a failed
  /// `fsync` of the directory itself: then the new file is there and may not survive a power cut.
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
  private static func temporaryName(of name: String) throws(SystemError) -> String {
    ".\(name).\(try RandomBytes.hexadecimal(8)).tmp"
  }

  private static func isTemporary(_ candidate: String, of name: String) -> Bool {
    candidate.utf8.count == name.utf8.count + 22 && candidate.begins(with: ".\(name).")
      && isTemporary(candidate)
  }

  /// True for the name of any temporary file: 16 hexadecimal digits before its ending.
  private static func isTemporary(_ candidate: String) -> Bool {
    let bytes = Array(candidate.utf8)
    guard bytes.count > 22, bytes.first == UInt8(ascii: "."), candidate.ends(with: ".tmp") else {
      return false
    }
    let middle = bytes.dropLast(4).suffix(17)
    return middle.first == UInt8(ascii: ".")
      && middle.dropFirst().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  /// The time after which a temporary file counts as abandoned: longer than a small file takes to
  /// write.
  private static let longestWrite = Duration.seconds(60)

  /// Removes the leftovers of killed writers of any file of a directory, except those that a living
  /// writer may still need.
  package static func removeAbandoned(in directory: borrowing Directory) {
    let now = KernelClock.realTime.now
    for name in (try? directory.names()) ?? [] where isTemporary(name) {
      guard let status = try? directory.status(of: name), status.kind == .regular,
        now - status.modified > longestWrite
      else { continue }
      try? directory.remove(name)
    }
  }
}

extension AtomicFile {
  /// The name in the temporary files of copies, so that none is mistaken for that of a written
  /// file.
  private static let copies = "copy"

  /// Copies all of an open file to `name`, or throws `exists` where something has that name.
  ///
  /// Once this returns, the copy survives a power cut; when it throws, nothing is left of it.
  package static func copy(
    _ source: borrowing Descriptor, to name: String, in directory: borrowing Directory,
    mode: UInt32 = 0o600
  ) throws(SystemError) {
    let temporary = try temporaryName(of: copies)
    let file = try directory.open(
      temporary, [.writeOnly, .create, .exclusive, .noFollow], mode: mode)
    do {
      try copy(source, into: file)
      try file.synchronize()
      try directory.renameWithoutReplacing(temporary, to: name)
    } catch {
      try? directory.remove(temporary)
      throw error
    }
    try directory.synchronize()
  }

  /// Removes what copies that were killed have left; only under a lock that every copy into it
  /// takes.
  package static func removeUnfinishedCopies(in directory: borrowing Directory) throws(SystemError)
  {
    try removeLeftovers(of: copies, in: directory)
  }

  // Positioned reads, because the caller may have read a part of it.
  private static func copy(
    _ source: borrowing Descriptor, into file: borrowing Descriptor
  ) throws(SystemError) {
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    var offset: Int64 = 0
    while true {
      let count = try source.read(into: &chunk, at: offset)
      if count == 0 { return }
      try file.writeAll(chunk.span.extracting(first: count))
      offset += Int64(count)
    }
  }
}
