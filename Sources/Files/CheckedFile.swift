internal import Glibc
package import Linux
internal import Synchronization

/// A file that stores the first failure of a system call. After a failure, every call that would
/// read, write, truncate or synchronize the file throws the stored failure instead.
///
/// libsndfile ignores the errors of its writes, and `sf_close` returns 0 even if the disk was full.
/// So this class makes the system calls for libsndfile, and stores the first failure. The kernel
/// reports a failed write-back only once for each open file, so only one thread gets this error.
/// Therefore the writing thread and the synchronizing thread share the stored failure.
package final class CheckedFile: Sendable {
  /// The name of the file in messages, usually its path.
  package let label: String
  private let descriptor: Descriptor
  private let calls: FileCalls
  private let state: Mutex<State>

  /// A call fails after this many consecutive interruptions, because an error is better than a
  /// hang.
  private static let mostInterruptions = 1_000

  private struct State {
    var fault: SoundFileError?
    var end: Int64
  }

  /// Takes ownership of an open regular file.
  ///
  /// - Parameter note: a closure that receives the bytes of each write and their offset, or nil.
  package convenience init(
    _ descriptor: consuming Descriptor, named label: String,
    noting note: (@Sendable (RawSpan, Int64) -> Void)? = nil
  ) throws(SoundFileError) {
    let plain = FileCalls()
    var calls = plain
    if let note {
      calls.write = { number, bytes, offset in
        let count = plain.write(number, bytes, offset)
        if count > 0 { note(bytes.extracting(first: count), offset) }
        return count
      }
    }
    try self.init(descriptor, named: label, through: calls)
  }

  init(
    _ descriptor: consuming Descriptor, named label: String, through calls: FileCalls
  ) throws(SoundFileError) {
    let end = try regularSize(of: descriptor, named: label)
    self.label = label
    self.descriptor = descriptor
    self.calls = calls
    self.state = Mutex(State(end: end))
  }

  /// The size of the file. It is determined when the file is opened, and updated by each write and
  /// truncation.
  package var end: Int64 { state.withLock { $0.end } }

  /// Throws the stored failure if there is one.
  package func throwFault() throws(SoundFileError) {
    if let fault = state.withLock({ $0.fault }) { throw fault }
  }

  /// Reads into `bytes`, beginning at `offset`. Returns the number of bytes read, which is smaller
  /// than the size of `bytes` only at the end of the file.
  package func read(into bytes: inout MutableRawSpan, at offset: Int64) throws(SoundFileError)
    -> Int
  {
    var done = 0
    while done < bytes.byteCount {
      let count = try unsafe bytes.withUnsafeMutableBytes { all throws(SoundFileError) in
        var rest = unsafe UnsafeMutableRawBufferPointer(rebasing: all[done...]).mutableBytes
        let start = offset + Int64(done)
        return try latched("pread") { calls.read(descriptor.number, &rest, start) }
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Reads at most `count` bytes at `offset`.
  package func bytes(at offset: Int64, upTo count: Int) throws(SoundFileError) -> [UInt8] {
    guard offset < end else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = try read(count, into: &bytes, at: offset)
    return Array(bytes.prefix(read))
  }

  /// Reads at most `count` bytes at `offset`, and stores them at the beginning of `buffer`. Returns
  /// the number of bytes read.
  func read(
    _ count: Int, into buffer: inout [UInt8], at offset: Int64
  ) throws(SoundFileError) -> Int {
    var span = buffer.mutableSpan
    var bytes = unsafe span.mutableBytes
    var part = bytes._mutatingExtracting(first: count)
    return try read(into: &part, at: offset)
  }

  /// Writes all of `bytes` at `offset`, with as many calls as necessary.
  package func write(_ bytes: RawSpan, at offset: Int64) throws(SoundFileError) {
    var done = 0
    while done < bytes.byteCount {
      let rest = bytes.extracting(done...)
      let count = try latched("pwrite") {
        calls.write(descriptor.number, rest, offset + Int64(done))
      }
      if count == 0 { throw latch(SystemError("pwrite", label, errno: .inputOutput)) }
      done += count
      let reached = offset + Int64(done)
      state.withLock { $0.end = max($0.end, reached) }
    }
  }

  /// Truncates the file to `length`.
  package func truncate(to length: Int64) throws(SoundFileError) {
    try latched("ftruncate") { calls.truncate(descriptor.number, length) }
    state.withLock { $0.end = length }
  }

  /// Waits until the samples and the file's length are on the disk. Call this function on a
  /// separate thread, because the disk may be slow.
  package func synchronizeData() throws(SoundFileError) {
    try latched("fdatasync") { calls.synchronizeData(descriptor.number) }
  }

  /// Waits until the whole file is on the disk. Throws `sizeDiffers` if another program has changed
  /// the size of the file.
  package func finish() throws(SoundFileError) {
    try latched("fsync") { calls.synchronize(descriptor.number) }
    let actual = try regularSize(of: descriptor, named: label)
    guard actual == end else {
      throw .sizeDiffers(subject: label, expected: end, actual: actual)
    }
  }

  /// Copies the whole file to an unused name. Throws `exists` if the name is in use.
  package func copy(to name: String, in directory: borrowing Directory) throws(SystemError) {
    try AtomicFile.copy(descriptor, to: name, in: directory)
  }

  /// Returns a second descriptor of the open file, for calls that the stored failure must not
  /// block.
  package func duplicate() throws(SystemError) -> Descriptor { try descriptor.duplicate() }

  @discardableResult
  private func latched<Result: SignedInteger>(
    _ function: String, _ call: () -> Result
  ) throws(SoundFileError) -> Result {
    try throwFault()
    for _ in 0..<Self.mostInterruptions {
      let result = call()
      if result != -1 { return result }
      let reason = Errno.last
      if reason != .interrupted { throw latch(SystemError(function, label, errno: reason)) }
    }
    throw latch(SystemError(function, label, errno: .interrupted))
  }

  private func latch(_ error: SystemError) -> SoundFileError {
    state.withLock { state in
      let fault = state.fault ?? .system(error)
      state.fault = fault
      return fault
    }
  }
}

/// Returns the size of a regular file. Throws if the file is of another kind, because calls on a
/// pipe or a device could block or fail.
private func regularSize(
  of descriptor: borrowing Descriptor, named label: String
) throws(SoundFileError) -> Int64 {
  guard let status = try? descriptor.status(), status.kind == .regular else {
    throw .notRegular(subject: label)
  }
  return status.size
}

/// The system calls on a file. Tests replace them with failing calls.
struct FileCalls: Sendable {
  var read: @Sendable (CInt, inout MutableRawSpan, Int64) -> Int = { number, bytes, offset in
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe pread(number, bytes.baseAddress, bytes.count, off_t(offset))
    }
  }

  var write: @Sendable (CInt, RawSpan, Int64) -> Int = { number, bytes, offset in
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe pwrite(number, bytes.baseAddress, bytes.count, off_t(offset))
    }
  }

  var truncate: @Sendable (CInt, Int64) -> CInt = { ftruncate($0, off_t($1)) }

  var synchronize: @Sendable (CInt) -> CInt = { fsync($0) }

  var synchronizeData: @Sendable (CInt) -> CInt = { fdatasync($0) }
}
