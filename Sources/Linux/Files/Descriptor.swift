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

  /// Makes a pipe hold so many bytes; false where the system gives no more than it holds.
  @discardableResult
  package func holdInPipe(_ bytes: Int) -> Bool {
    fcntl(number, CInt(set_pipe_size), CInt(bytes)) >= 0
  }

  /// Chooses whether reads and writes answer `wouldBlock` where they would have to wait.
  package func setNonBlocking(_ wanted: Bool) throws(SystemError) {
    let flags = try checked("fcntl") { fcntl(number, F_GETFL) }
    let changed = wanted ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
    try checked("fcntl") { fcntl(number, F_SETFL, changed) }
  }
}

/// An open file that several owners share, such as a list of files and the child that reads them.
///
/// It is closed with the last of its owners.
package final class OpenFile: Sendable {
  /// The descriptor, open for as long as an owner is left.
  package let descriptor: Descriptor

  /// Takes over a descriptor.
  package init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// The size in bytes; nil where the system does not report it.
  package var size: Int64? { (try? descriptor.status())?.size }
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

/// The flags of an open; close-on-exec and never becoming the controlling terminal are always
/// added.
package struct OpenFlags: OptionSet, Sendable {
  /// The bits of `<fcntl.h>`.
  package let rawValue: CInt

  /// Flags by their bits.
  package init(rawValue: CInt) { self.rawValue = rawValue }

  /// All of these flags; the library's own way looks types up at run time.
  package init(arrayLiteral flags: OpenFlags...) {
    self.init(rawValue: flags.reduce(0) { $0 | $1.rawValue })
  }

  /// O_RDONLY, which has no bit: the default.
  package static let readOnly: OpenFlags = []
  /// O_WRONLY: reads fail.
  package static let writeOnly = OpenFlags(rawValue: O_WRONLY)
  /// O_RDWR: reads and writes.
  package static let readWrite = OpenFlags(rawValue: O_RDWR)
  /// Makes the file where there is none.
  package static let create = OpenFlags(rawValue: O_CREAT)
  /// With `create`: fails with `exists` where there is one, a dangling symbolic link included.
  package static let exclusive = OpenFlags(rawValue: O_EXCL)
  /// Cuts a file that exists to 0 bytes.
  package static let truncate = OpenFlags(rawValue: O_TRUNC)
  /// Writes each time at the end, wherever that is by then.
  package static let append = OpenFlags(rawValue: O_APPEND)
  /// Fails with `tooManyLinks` where the last component is a symbolic link.
  package static let noFollow = OpenFlags(rawValue: O_NOFOLLOW)
  /// Also keeps the open of a FIFO from waiting for its other end.
  package static let nonBlocking = OpenFlags(rawValue: O_NONBLOCK)
  /// Fails with `notDirectory` on anything else.
  package static let directory = OpenFlags(rawValue: O_DIRECTORY)
  /// Only a place in the tree: needs no permission to read, and can read nothing.
  package static let pathOnly = OpenFlags(rawValue: CInt(open_path_only))

  static let always = OpenFlags(rawValue: O_CLOEXEC | O_NOCTTY)
}

extension Descriptor {
  /// Reads what is there into the start of `buffer` and returns how many bytes; 0 is the end.
  package func read(into buffer: inout MutableRawSpan) throws(SystemError) -> Int {
    try unsafe buffer.withUnsafeMutableBytes { bytes throws(SystemError) in
      try checked("read") { unsafe Glibc.read(number, bytes.baseAddress, bytes.count) }
    }
  }

  /// Reads what is there over the start of `buffer`, whose length stays; 0 is the end.
  package func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
    var span = buffer.mutableSpan
    var bytes = unsafe span.mutableBytes
    return try read(into: &bytes)
  }

  /// Reads over the start of `buffer` until it is full or the end has come, and returns how many
  /// bytes.
  package func readAll(into buffer: inout [UInt8]) throws(SystemError) -> Int {
    var span = buffer.mutableSpan
    var bytes = unsafe span.mutableBytes
    var done = 0
    while done < bytes.byteCount {
      var rest = bytes._mutatingExtracting(droppingFirst: done)
      let count = try read(into: &rest)
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Reads from a descriptor that does not block; nil where nothing is there now.
  package func readIfReady(into buffer: inout [UInt8]) throws(SystemError) -> Int? {
    do {
      return try read(into: &buffer)
    } catch let error where error.errno == .wouldBlock {
      return nil
    }
  }

  /// Reads from a position in the file, and leaves its own position where it is.
  package func read(
    into buffer: inout MutableRawSpan, at offset: Int64
  ) throws(SystemError) -> Int {
    try unsafe buffer.withUnsafeMutableBytes { bytes throws(SystemError) in
      try checked("pread") {
        unsafe pread(number, bytes.baseAddress, bytes.count, off_t(offset))
      }
    }
  }

  /// Reads from a position in the file over the start of `buffer`, whose length stays.
  package func read(into buffer: inout [UInt8], at offset: Int64) throws(SystemError) -> Int {
    var span = buffer.mutableSpan
    var bytes = unsafe span.mutableBytes
    return try read(into: &bytes, at: offset)
  }

  /// Writes from the start of `bytes` and returns how many the kernel took, which may be fewer.
  package func write(_ bytes: RawSpan) throws(SystemError) -> Int {
    try unsafe bytes.withUnsafeBytes { bytes throws(SystemError) in
      try checked("write") { unsafe Glibc.write(number, bytes.baseAddress, bytes.count) }
    }
  }

  /// Writes to a descriptor that does not block; nil where it takes nothing now.
  package func writeIfReady(_ bytes: Span<UInt8>) throws(SystemError) -> Int? {
    do {
      return try write(unsafe bytes.bytes)
    } catch let error where error.errno == .wouldBlock {
      return nil
    }
  }

  /// Writes at a position in the file and returns how many bytes the kernel took.
  package func write(_ bytes: RawSpan, at offset: Int64) throws(SystemError) -> Int {
    try unsafe bytes.withUnsafeBytes { bytes throws(SystemError) in
      try checked("pwrite") {
        unsafe pwrite(number, bytes.baseAddress, bytes.count, off_t(offset))
      }
    }
  }

  /// Writes all of `bytes`; when it throws, some of them may have been written.
  package func writeAll(_ bytes: RawSpan) throws(SystemError) {
    var written = 0
    while written < bytes.byteCount {
      written += try write(bytes.extracting(droppingFirst: written))
    }
  }

  /// Writes all of `bytes`; when it throws, some of them may have been written.
  package func writeAll(_ bytes: Span<UInt8>) throws(SystemError) {
    try writeAll(unsafe bytes.bytes)
  }

  /// Writes all of `bytes` at a position in the file.
  package func writeAll(_ bytes: RawSpan, at offset: Int64) throws(SystemError) {
    var written = 0
    while written < bytes.byteCount {
      let rest = bytes.extracting(droppingFirst: written)
      written += try write(rest, at: offset + Int64(written))
    }
  }

  /// Reads to the end, or throws `tooLarge` once there are more than `limit` bytes.
  package func readAll(upTo limit: Int) throws(SystemError) -> [UInt8] {
    var collected: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(limit, 16_383) + 1)
    while true {
      let count = try read(into: &chunk)
      if count == 0 { return collected }
      collected.append(contentsOf: chunk[..<count])
      if collected.count > limit { throw SystemError("read", errno: .tooLarge) }
    }
  }

  /// Waits until the file's bytes and its metadata are on the disk.
  package func synchronize() throws(SystemError) {
    try checked("fsync") { fsync(number) }
  }

  /// Waits until the file's bytes, and the length needed to read them, are on the disk.
  package func synchronizeData() throws(SystemError) {
    try checked("fdatasync") { fdatasync(number) }
  }

  /// Cuts the file, or extends it with zeros.
  package func truncate(to length: Int64) throws(SystemError) {
    try checked("ftruncate") { ftruncate(number, off_t(length)) }
  }

  /// Allocates this number of bytes on the disk for the file. The corresponding C function is `posix_fallocate`.
  package func allocate(_ length: Int64) throws(SystemError) {
    let code = posix_fallocate(number, 0, off_t(length))
    if code != 0 { throw SystemError("posix_fallocate", errno: Errno(rawValue: code)) }
  }

  /// Bytes that an unprivileged user can still write on this file's filesystem.
  package func freeSpace() throws(SystemError) -> Int64 {
    var answer = statvfs()
    try checked("fstatvfs") { unsafe fstatvfs(number, &answer) }
    return answer.freeBytes
  }
}

extension Descriptor {
  /// Appends a line to a file that is open for reading and appending.
  ///
  /// A line that was cut off before, as on a full disk, gets its end first, so that it does not
  /// swallow this one. Both go in one write; only a full disk makes it two, of which the second
  /// fails.
  ///
  /// - Parameter line: the text without its line end.
  package borrowing func append(line: String) throws(SystemError) {
    let end = UInt8(ascii: "\n")
    var bytes = Array(line.utf8) + [end]
    let size = try status().size
    var last = [end]
    if size > 0 { _ = try read(into: &last, at: size - 1) }
    if last != [end] { bytes.insert(end, at: 0) }
    try writeAll(bytes.span)
  }
}

extension Descriptor {
  /// A new file in memory that holds these bytes and has no name but for those who debug. The
  /// corresponding C function is `memfd_create`.
  package init(holding bytes: Span<UInt8>, called name: String) throws(SystemError) {
    try refuseNUL("memfd_create", name)
    let file = Descriptor(
      owning: try checked("memfd_create", name) { unsafe memory_file(name) })
    try file.writeAll(bytes)
    self = file
  }

  /// A path by which this process opens the file anew, with a position of its own.
  package var ownPath: String { "/proc/self/fd/\(number)" }
}
