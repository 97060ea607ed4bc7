/// Files that are replaced in one step. Even after a crash, a reader finds either the old content
/// or the new.
package enum AtomicFile {
  /// Creates or replaces `name`. When this function has returned, the new bytes survive a power
  /// cut, unless `survivingPowerCuts` is false.
  ///
  /// If it throws, the old file is unchanged and no temporary file remains. The exception is a
  /// failed `fsync` of the directory: then the new file is in use, but may not survive a power cut.
  package static func write(
    _ bytes: Span<UInt8>, to name: String, in directory: borrowing Directory, mode: UInt32 = 0o600,
    survivingPowerCuts survives: Bool = true
  ) throws(SystemError) {
    let temporary = try temporaryName(of: name)
    do {
      let file = try open(temporary, for: directory.path(of: name), in: directory, mode: mode)
      try file.writeAll(bytes)
      if survives { try file.synchronize() }
      try directory.rename(temporary, to: name)
    } catch {
      // Report only the first error. `exists` means that the temporary file belongs to another
      // writer.
      if error.errno != .exists { try? directory.remove(temporary) }
      throw error
    }
    if survives { try directory.synchronize() }
  }

  /// Removes the temporary files of killed writers of `name`. The caller must hold the lock of
  /// `name`.
  package static func removeLeftovers(
    of name: String, in directory: borrowing Directory
  ) throws(SystemError) {
    let stray = try directory.names().filter { isTemporary($0, of: name) }
    for leftover in stray { try directory.remove(leftover) }
  }

  /// Removes the temporary files of killed writers of `name`, except files that a writer has locked
  /// or may be about to lock.
  fileprivate static func removeUnlocked(of name: String, in directory: borrowing Directory) {
    removeOld(in: directory) { stray, _ in
      isTemporary(stray, of: name) && (try? FileLock.isHeld(stray, in: directory)) == false
    }
  }

  /// Creates a temporary file. An error contains the final path, because the user does not know the
  /// temporary name.
  fileprivate static func open(
    _ temporary: String, for path: String, in directory: borrowing Directory, mode: UInt32 = 0o600
  ) throws(SystemError) -> Descriptor {
    try directory.open(
      temporary, [.readWrite, .create, .exclusive, .noFollow], mode: mode, subject: path)
  }

  // The name is random, because names made from process ids would collide if the kernel reused an
  // id.
  fileprivate static func temporaryName(of name: String) throws(SystemError) -> String {
    ".\(name).\(try RandomBytes.hexadecimal(8)).tmp"
  }

  private static func isTemporary(_ candidate: String, of name: String) -> Bool {
    candidate.utf8.count == name.utf8.count + 22 && candidate.begins(with: ".\(name).")
      && isTemporary(candidate)
  }

  /// Returns true for the name of any temporary file: it has 16 hexadecimal digits before the
  /// extension.
  private static func isTemporary(_ candidate: String) -> Bool {
    let bytes = Array(candidate.utf8)
    guard bytes.count > 22, bytes.first == UInt8(ascii: "."), candidate.ends(with: ".tmp") else {
      return false
    }
    let middle = bytes.dropLast(4).suffix(17)
    return middle.first == UInt8(ascii: ".")
      && middle.dropFirst().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  /// The age at which a temporary file counts as abandoned. Writing a small file takes less time.
  private static let longestWrite = Duration.seconds(60)

  /// Removes the temporary files of killed writers, for any file of the directory. Keeps files that
  /// were modified in the last minute, because their writer may still run. Removes all older
  /// temporary files, even locked files.
  package static func removeAbandoned(in directory: borrowing Directory) {
    removeOld(in: directory) { _, status in status.kind == .regular }
  }

  private static func removeOld(
    in directory: borrowing Directory, where isAbandoned: (String, FileStatus) -> Bool
  ) {
    let now = KernelClock.realTime.now
    for name in (try? directory.names()) ?? [] where isTemporary(name) {
      guard let status = try? directory.status(of: name), now - status.modified > longestWrite,
        isAbandoned(name, status)
      else { continue }
      try? directory.remove(name)
    }
  }
}

extension AtomicFile {
  /// The text in the names of the temporary files that `copy` creates. It distinguishes them from
  /// the temporary files that `write` creates.
  private static let copies = "copy"

  /// Copies an open file to `name`. Throws `exists` if the name is in use.
  ///
  /// When this function has returned, the copy survives a power cut. If it throws, no copy remains,
  /// except after a failed `fsync` of the directory.
  package static func copy(
    _ source: borrowing Descriptor, to name: String, in directory: borrowing Directory
  ) throws(SystemError) {
    let temporary = try temporaryName(of: copies)
    let file = try open(temporary, for: directory.path(of: name), in: directory)
    do {
      // This reads from the beginning, even if the caller has already read a part of the file.
      try source.readBlocks { block throws(SystemError) in try file.writeAll(block) }
      try file.synchronize()
      try directory.renameWithoutReplacing(temporary, to: name)
    } catch {
      try? directory.remove(temporary)
      throw error
    }
    try directory.synchronize()
  }

  /// Removes the temporary files of programs that were killed in `copy`. The caller must hold a
  /// lock, and every program must take the same lock before it copies a file into the directory.
  package static func removeUnfinishedCopies(in directory: borrowing Directory) throws(SystemError)
  {
    try removeLeftovers(of: copies, in: directory)
  }
}

/// A file that gets its name once it is complete, and never replaces another file.
///
/// Until then it has a temporary name in the same directory, or no name. A file with a temporary
/// name is locked, if the filesystem supports locks. The lock distinguishes it from the temporary
/// files of killed programs.
package struct UnfinishedFile: ~Copyable, Sendable {
  /// The path that the file will get, or nil for a file that never gets a name.
  package let path: String?
  private let directory: Directory
  private let name: String
  private let temporary: String?
  private let file: Descriptor

  /// Creates a file for an unused path. Creates the directory of the path if necessary. Throws
  /// `exists` if the path is in use.
  ///
  /// Removes the temporary files that killed programs have left for the same name.
  package init(for path: String) throws(SystemError) {
    let (parent, name) = path.pathParts
    try Directory.makeAll(parent)
    let directory = try Directory(parent)
    if (try? directory.status(of: name)) != nil {
      throw SystemError("openat", path, errno: .exists)
    }
    // A name can have 255 bytes, and a temporary name adds 22 bytes to the original.
    let beginning = String(decoding: name.utf8.prefix(200), as: UTF8.self)
    AtomicFile.removeUnlocked(of: beginning, in: directory)
    let temporary = try AtomicFile.temporaryName(of: beginning)
    let file = try AtomicFile.open(temporary, for: directory.path(of: name), in: directory)
    // On a filesystem without locks, the file stays unlocked.
    _ = try? file.lock()
    self.path = path
    self.directory = directory
    self.name = name
    self.temporary = temporary
    self.file = file
  }

  /// Creates a file without a name in a directory.
  package init(unnamedIn path: String) throws(SystemError) {
    let directory = try Directory(path)
    let name = try AtomicFile.temporaryName(of: "unnamed")
    let file = try AtomicFile.open(name, for: path, in: directory)
    try directory.remove(name)
    self.path = nil
    self.directory = directory
    self.name = name
    temporary = nil
    self.file = file
  }

  deinit { if let temporary { try? directory.remove(temporary) } }

  /// The path for messages: the path that the file will get, or the directory if the file never
  /// gets a name.
  package var label: String { path ?? directory.path }

  /// Returns another descriptor of the file, for its writer.
  package func descriptor() throws(SystemError) -> Descriptor { try file.duplicate() }

  /// Gives the file its name and waits until the name is on the disk. Throws `exists` if another
  /// file has taken the name meanwhile. Does nothing for a file that never gets a name.
  package consuming func publish() throws(SystemError) {
    if let temporary {
      try directory.renameWithoutReplacing(temporary, to: name)
      try directory.synchronize()
    }
  }

  /// Copies the whole file to another open file, such as a pipe. `number` is the descriptor of this
  /// other file. Stops without an error if the reader closes the pipe.
  package borrowing func copy(to number: Int32) throws(SystemError) {
    let output = Descriptor(owning: number)
    let result = Result { () throws(SystemError) in
      try file.readBlocks(of: 1 << 16) { block throws(SystemError) in try output.writeAll(block) }
    }
    _ = output.release()
    if case .failure(let error) = result, error.errno == .brokenPipe { return }
    try result.get()
  }
}
