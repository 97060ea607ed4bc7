internal import CLinux
internal import Glibc

/// A file descriptor that is closed with its owner.
package struct Descriptor: ~Copyable, Sendable {
  /// The number, for calls that take one; do not close it.
  package let number: CInt

  /// Takes over a descriptor that nobody else closes.
  package init(owning number: CInt) { self.number = number }

  deinit { close(number) }

  /// Gives the number away; the caller closes it.
  package consuming func release() -> CInt {
    let number = number
    discard self
    return number
  }
}

extension Descriptor {
  /// Opens a file by its path. The corresponding C function is `openat`.
  ///
  /// - Parameter mode: the permissions of a file that this makes, before the umask.
  package init(
    opening path: String, _ flags: OpenFlags = .readOnly, mode: UInt32 = 0o600
  ) throws(SystemError) {
    try self.init(at: AT_FDCWD, path, flags, mode: mode, subject: path)
  }

  init(
    at directory: CInt, _ name: String, _ flags: OpenFlags, mode: UInt32, subject: String
  ) throws(SystemError) {
    try refuseNUL("openat", name)
    let bits = flags.union(.always).rawValue
    self.init(
      owning: try checked("openat", subject) { unsafe openat(directory, name, bits, mode) })
  }

  /// A second descriptor of the same open file, close-on-exec too.
  package func duplicate() throws(SystemError) -> Descriptor {
    Descriptor(owning: try checked("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 0) })
  }

  /// Makes the number `target` mean this file too, also in what this process becomes by `execve`.
  package func pass(as target: CInt) throws(SystemError) {
    if number == target {
      try checked("fcntl") { fcntl(target, F_SETFD, 0) }
    } else {
      try checked("dup2") { dup2(number, target) }
    }
  }

  /// The two ends of a new pipe, both close-on-exec.
  package static func pipe() throws(SystemError) -> Pipe {
    var ends: [CInt] = [0, 0]
    try checked("pipe2") { unsafe pipe2(&ends, O_CLOEXEC) }
    return Pipe(reading: Descriptor(owning: ends[0]), writing: Descriptor(owning: ends[1]))
  }

  /// Chooses whether reads and writes answer `wouldBlock` where they would have to wait.
  package func setNonBlocking(_ wanted: Bool) throws(SystemError) {
    let flags = try checked("fcntl") { fcntl(number, F_GETFL) }
    let changed = wanted ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
    try checked("fcntl") { fcntl(number, F_SETFL, changed) }
  }
}

/// The two ends of a pipe.
package struct Pipe: ~Copyable, Sendable {
  /// The end to read from; at its end of file once every writing end is closed.
  package let reading: Descriptor
  /// The end to write to; answers `brokenPipe` once every reading end is closed.
  package let writing: Descriptor

  /// Gives both numbers away; the caller closes them.
  package consuming func release() -> (reading: CInt, writing: CInt) {
    let reading = reading.release()
    return (reading, writing.release())
  }
}

/// Throws for a path with a NUL: C would silently cut it there, and open another file than the one
/// that was checked.
func refuseNUL(_ function: String, _ path: String) throws(SystemError) {
  guard path.utf8.contains(0) else { return }
  throw SystemError(function, path, errno: .invalid)
}

/// Throws for a name with a slash, so that a name read from a file cannot become a path.
func refusePath(_ function: String, _ name: String) throws(SystemError) {
  try refuseNUL(function, name)
  guard name.utf8.contains(UInt8(ascii: "/")) else { return }
  throw SystemError(function, name, errno: .invalid)
}
