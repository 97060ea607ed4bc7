internal import CLinux
internal import Glibc

/// A file descriptor that is closed when this value is destroyed.
package struct Descriptor: ~Copyable, Sendable {
  /// The number of the descriptor, for C functions. Do not close it.
  package let number: CInt

  /// Takes over a descriptor. Other code must not close it.
  package init(owning number: CInt) { self.number = number }

  deinit { close(number) }

  /// Gives up the descriptor and returns its number. The caller must close it.
  package consuming func release() -> CInt {
    let number = number
    discard self
    return number
  }
}

extension Descriptor {
  /// Opens a file by its path. The corresponding C function is `openat`.
  ///
  /// - Parameter mode: the permissions of a file that is created, before the umask.
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
    self.init(owning: try checked("openat", subject) { unsafe openat(directory, name, bits, mode) })
  }

  /// Returns a second descriptor of the same open file, also close-on-exec.
  package func duplicate() throws(SystemError) -> Descriptor {
    Descriptor(owning: try checked("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 0) })
  }

  /// Makes the number `target` refer to this file too. `target` stays open across `execve`.
  package func pass(as target: CInt) throws(SystemError) {
    if number == target {
      try checked("fcntl") { fcntl(target, F_SETFD, 0) }
    } else {
      try checked("dup2") { dup2(number, target) }
    }
  }

  /// Sets whether reads and writes fail with `wouldBlock` instead of waiting.
  package func setNonBlocking(_ wanted: Bool) throws(SystemError) {
    let flags = try checked("fcntl") { fcntl(number, F_GETFL) }
    let changed = wanted ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
    try checked("fcntl") { fcntl(number, F_SETFL, changed) }
  }
}

/// An open file that several values share. It is closed when the last of them is destroyed.
package final class OpenFile: Sendable {
  /// The descriptor, which stays open as long as this object.
  package let descriptor: Descriptor

  /// Takes over a descriptor.
  package init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// The size in bytes, or nil if the system does not report it.
  package var size: Int64? { (try? descriptor.status())?.size }
}

/// Throws if a path contains a NUL. A C function would cut the path at the NUL, and would open a
/// file that was not checked.
func refuseNUL(_ function: String, _ path: String) throws(SystemError) {
  guard path.utf8.contains(0) else { return }
  throw SystemError(function, path, errno: .invalid)
}

/// Throws if a name contains a slash or a NUL, so that a name read from a file cannot become a
/// path.
func refusePath(_ function: String, _ name: String) throws(SystemError) {
  try refuseNUL(function, name)
  guard name.utf8.contains(UInt8(ascii: "/")) else { return }
  throw SystemError(function, name, errno: .invalid)
}

extension Descriptor {
  /// Reads available bytes into the start of `buffer` and returns their number. 0 means end of
  /// file.
  package func read(into buffer: inout MutableRawSpan) throws(SystemError) -> Int {
    try unsafe buffer.withUnsafeMutableBytes { bytes throws(SystemError) in
      try checked("read") { unsafe Glibc.read(number, bytes.baseAddress, bytes.count) }
    }
  }

  /// Reads available bytes into the start of `buffer`, whose length does not change, and returns
  /// their number. 0 means end of file.
  package func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
    var span = buffer.mutableSpan
    var bytes = unsafe span.mutableBytes
    return try read(into: &bytes)
  }

  /// Reads into the start of `buffer` until it is full or the file ends. Returns the number of
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

  /// Reads this number of bytes, or fewer if the file ends.
  package func readAll(count: Int) throws(SystemError) -> [UInt8] {
    try [UInt8](capacity: count) { bytes throws(SystemError) in
      while bytes.freeCapacity > 0 {
        let read = try unsafe bytes.withUnsafeMutableBufferPointer {
          buffer, done throws(SystemError) in
          let read = try checked("read") {
            unsafe Glibc.read(number, buffer.baseAddress.map { unsafe $0 + done }, count - done)
          }
          done += read
          return read
        }
        if read == 0 { break }
      }
    }
  }

  /// Reads from a non-blocking descriptor. Returns nil if no data is available now.
  package func readIfReady(into buffer: inout [UInt8]) throws(SystemError) -> Int? {
    try unless(.wouldBlock, read(into: &buffer))
  }

  /// Reads at an offset. The position of the open file does not change.
  package func read(
    into buffer: inout MutableRawSpan, at offset: Int64
  ) throws(SystemError) -> Int {
    try unsafe buffer.withUnsafeMutableBytes { bytes throws(SystemError) in
      try checked("pread") {
        unsafe pread(number, bytes.baseAddress, bytes.count, off_t(offset))
      }
    }
  }

  /// Reads at an offset into the start of `buffer`, whose length does not change.
  package func read(into buffer: inout [UInt8], at offset: Int64) throws(SystemError) -> Int {
    var span = buffer.mutableSpan
    var bytes = unsafe span.mutableBytes
    return try read(into: &bytes, at: offset)
  }

  /// Passes the bytes of the file to `body`, in blocks of at most `size`. The position of the open
  /// file does not change.
  package func readBlocks(
    of size: Int = 1 << 18, from first: Int64 = 0, _ body: (Span<UInt8>) throws(SystemError) -> Void
  ) throws(SystemError) {
    var block = [UInt8](repeating: 0, count: size)
    var offset = first
    while true {
      let count = try read(into: &block, at: offset)
      if count == 0 { return }
      try body(block.span.extracting(first: count))
      offset += Int64(count)
    }
  }

  /// Writes `bytes` or only the first part of them. Returns the number of bytes written.
  package func write(_ bytes: RawSpan) throws(SystemError) -> Int {
    try unsafe bytes.withUnsafeBytes { bytes throws(SystemError) in
      try checked("write") { unsafe Glibc.write(number, bytes.baseAddress, bytes.count) }
    }
  }

  /// Writes to a non-blocking descriptor. Returns nil if it accepts no data now.
  package func writeIfReady(_ bytes: Span<UInt8>) throws(SystemError) -> Int? {
    try unless(.wouldBlock, write(unsafe bytes.bytes))
  }

  /// Writes at an offset and returns the number of bytes written.
  package func write(_ bytes: RawSpan, at offset: Int64) throws(SystemError) -> Int {
    try unsafe bytes.withUnsafeBytes { bytes throws(SystemError) in
      try checked("pwrite") {
        unsafe pwrite(number, bytes.baseAddress, bytes.count, off_t(offset))
      }
    }
  }

  /// Writes all of `bytes`. If it throws, some of them may have been written.
  package func writeAll(_ bytes: RawSpan) throws(SystemError) {
    var written = 0
    while written < bytes.byteCount {
      written += try write(bytes.extracting(droppingFirst: written))
    }
  }

  /// Writes all of `bytes`. If it throws, some of them may have been written.
  package func writeAll(_ bytes: Span<UInt8>) throws(SystemError) {
    try writeAll(unsafe bytes.bytes)
  }

  /// Writes all of `bytes` at an offset.
  package func writeAll(_ bytes: RawSpan, at offset: Int64) throws(SystemError) {
    var written = 0
    while written < bytes.byteCount {
      let rest = bytes.extracting(droppingFirst: written)
      written += try write(rest, at: offset + Int64(written))
    }
  }

  /// Reads to the end of the file. Throws `tooLarge` if there are more than `limit` bytes, and
  /// `timedOut` if it takes longer than `time`.
  package func readAll(
    upTo limit: Int, within time: Duration? = nil
  ) throws(SystemError) -> [UInt8] {
    let deadline = time.map { KernelClock.monotonic.now + $0 }
    var collected: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(limit, 16_383) + 1)
    while true {
      if let deadline, try !wait(upTo: deadline - KernelClock.monotonic.now) {
        throw SystemError("read", errno: .timedOut)
      }
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

  /// Waits until the file's bytes, and the length that is needed to read the bytes, are on the
  /// disk.
  package func synchronizeData() throws(SystemError) {
    try checked("fdatasync") { fdatasync(number) }
  }

  /// Truncates the file, or extends it with zeros.
  package func truncate(to length: Int64) throws(SystemError) {
    try checked("ftruncate") { ftruncate(number, off_t(length)) }
  }

  /// Allocates disk space for the first `length` bytes of the file. The corresponding C function is
  /// `posix_fallocate`.
  package func allocate(_ length: Int64) throws(SystemError) {
    let code = posix_fallocate(number, 0, off_t(length))
    if code != 0 { throw SystemError("posix_fallocate", errno: Errno(rawValue: code)) }
  }

  /// Returns the number of bytes that an unprivileged user can still write on this file's
  /// filesystem.
  package func freeSpace() throws(SystemError) -> Int64 {
    var answer = statvfs()
    try checked("fstatvfs") { unsafe fstatvfs(number, &answer) }
    return answer.freeBytes
  }
}

extension Descriptor {
  /// Appends a line to a file that is open for reading and appending.
  ///
  /// If the last line of the file has no line end, for example because the disk was full, this call
  /// writes a line end first. If the disk is full, the kernel may write only a part of the new
  /// line. Then this function throws.
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

  /// Creates a file in memory that holds these bytes. The file has no path, and its name only helps
  /// in debugging. The corresponding C function is `memfd_create`.
  package init(holding bytes: Span<UInt8>, called name: String) throws(SystemError) {
    try refuseNUL("memfd_create", name)
    let file = Descriptor(owning: try checked("memfd_create", name) { unsafe memory_file(name) })
    try file.writeAll(bytes)
    self = file
  }

  /// A path that opens the file again in this process, with an independent position.
  package var ownPath: String { "/proc/self/fd/\(number)" }
}
