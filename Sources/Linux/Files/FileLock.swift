internal import Glibc

/// An exclusive lock on a file or a directory. It is held until this value is destroyed or the
/// process ends. The C function is `flock`.
///
/// A lock file is never removed. Otherwise a process that waits for the lock could lock the removed
/// file, which no other process can open.
package struct FileLock: ~Copyable, Sendable {
  /// The locked file. Its content is for display only, such as the holder of the lock.
  package let descriptor: Descriptor

  private init(locked descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Takes the lock, or returns nil if another process still holds it after `limit`.
  package static func take(
    _ name: String, in directory: borrowing Directory, waitingUpTo limit: Duration = .zero
  ) throws(SystemError) -> FileLock? {
    let file = try openLockFile(name, in: directory)
    guard try file.lock(waitingUpTo: limit, at: directory.path(of: name)) else { return nil }
    return FileLock(locked: file)
  }

  /// Waits for the lock and takes it. Throws `timedOut` if another process still holds it after
  /// `limit`.
  package init(
    _ name: String, in directory: borrowing Directory, waitingUpTo limit: Duration
  ) throws(SystemError) {
    try self.init(
      waitingFor: try Self.openLockFile(name, in: directory), directory.path(of: name), limit)
  }

  /// Waits for the lock of a directory itself and takes it. Throws `timedOut` if another process
  /// still holds it after `limit`.
  package init(on directory: borrowing Directory, waitingUpTo limit: Duration) throws(SystemError) {
    try self.init(waitingFor: try directory.open(".", .directory), directory.path, limit)
  }

  private init(
    waitingFor file: consuming Descriptor, _ path: String, _ limit: Duration
  ) throws(SystemError) {
    guard try file.lock(waitingUpTo: limit, at: path) else {
      throw SystemError("flock", path, errno: .timedOut)
    }
    self.init(locked: file)
  }

  /// Returns true if the lock of an existing file is held. The test takes a shared lock, so that
  /// two simultaneous tests do not report each other as holders.
  package static func isHeld(
    _ name: String, in directory: borrowing Directory
  ) throws(SystemError) -> Bool {
    try !openExisting(name, in: directory).lock(LOCK_SH)
  }

  /// Returns the process that took the lock of a file, or nil if the kernel lists none.
  package static func holder(_ name: String, in directory: borrowing Directory) -> Int32? {
    guard let status = try? openExisting(name, in: directory).status(),
      let locks = try? Descriptor(opening: "/proc/locks").readAll(upTo: 1 << 20)
    else { return nil }
    let major = status.device >> 8 & 0xFFF | status.device >> 32 & ~0xFFF
    let minor = status.device & 0xFF | status.device >> 12 & ~0xFF
    let numbers = [major, minor].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    let file = "\(numbers[0]):\(numbers[1]):\(status.inode)"
    for line in String(decoding: locks, as: UTF8.self).split(separator: "\n") {
      // NUMBER: FLOCK ADVISORY WRITE PROCESS MAJOR:MINOR:INODE FIRST LAST
      let fields = line.split(separator: " ")
      guard fields.count == 8, fields[1] == "FLOCK", fields[5] == file else { continue }
      if fields[3] == "WRITE" { return Int32(fields[4]) }
    }
    return nil
  }

  // Opens the file for writing, because otherwise a file server grants no lock. On a read-only
  // filesystem, opens the file for reading.
  private static func openExisting(
    _ name: String, in directory: borrowing Directory
  ) throws(SystemError) -> Descriptor {
    do {
      return try directory.open(name, [.readWrite, .noFollow, .nonBlocking])
    } catch let error where error.errno == .readOnlyFilesystem {
      return try directory.open(name, [.noFollow, .nonBlocking])
    }
  }

  // The flag `nonBlocking` prevents the call from waiting if the name belongs to a FIFO.
  private static func openLockFile(
    _ name: String, in directory: borrowing Directory
  ) throws(SystemError) -> Descriptor {
    let file = try directory.open(name, [.readWrite, .create, .noFollow, .nonBlocking])
    guard try file.status().kind == .regular else {
      throw SystemError("flock", directory.path(of: name), errno: .invalid)
    }
    return file
  }
}

extension Descriptor {
  /// Locks the open file as `lock()` does, but waits for the holder. Returns false if the lock is
  /// still held after `limit`. An error names `path`.
  package func lock(
    waitingUpTo limit: Duration, at path: String? = nil
  ) throws(SystemError) -> Bool {
    let deadline = KernelClock.monotonic.now + limit
    var pause = Duration.milliseconds(1)
    while try !lock(LOCK_EX, at: path) {
      let left = deadline - KernelClock.monotonic.now
      guard left > .zero else { return false }
      KernelClock.sleep(min(pause, left))
      pause = min(pause * 2, .milliseconds(20))
    }
    return true
  }

  /// Locks the open file until its last descriptor is closed. Returns false if the lock is already
  /// held.
  package func lock() throws(SystemError) -> Bool { try lock(LOCK_EX) }

  fileprivate func lock(_ kind: CInt, at path: String? = nil) throws(SystemError) -> Bool {
    try unless(.wouldBlock, checked("flock", path) { flock(number, kind | LOCK_NB) }) != nil
  }
}
