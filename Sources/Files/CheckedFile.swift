internal import Glibc
package import Linux
internal import Synchronization

/// A file whose first failure is latched: nothing is written after it, and every later call throws
/// it.
///
/// libsndfile drops the errors of its writes, and `sf_close` answers 0 after a full disk; so the
/// first failure is kept here, below it. The thread that writes and the one that synchronises share
/// one latch, because the kernel reports a failed write-back only once for each open file.
package final class CheckedFile: Sendable {
  /// The path, or another name of the file for messages.
  package let label: String
  private let descriptor: Descriptor
  private let calls: FileCalls
  private let state: Mutex<State>

  /// A call that is interrupted this often in a row is broken; better an error than a hang.
  private static let mostInterruptions = 1_000

  private struct State {
    var fault: SoundFileError?
    var end: Int64
  }

  /// Takes over an open regular file.
  package convenience init(
    _ descriptor: consuming Descriptor, named label: String
  ) throws(SoundFileError) {
    try self.init(descriptor, named: label, through: FileCalls())
  }

  /// Takes over an open regular file and calls `note` with each piece that was written and its
  /// offset.
  package convenience init(
    _ descriptor: consuming Descriptor, named label: String,
    noting note: @escaping @Sendable (RawSpan, Int64) -> Void
  ) throws(SoundFileError) {
    let plain = FileCalls()
    var calls = plain
    calls.write = { number, bytes, offset in
      let count = plain.write(number, bytes, offset)
      if count > 0 { note(bytes.extracting(first: count), offset) }
      return count
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

  /// The file's end, by the bytes that were written.
  package var end: Int64 { state.withLock { $0.end } }

  /// Throws the first failure, if there was one.
  package func throwFault() throws(SoundFileError) {
    if let fault = state.withLock({ $0.fault }) { throw fault }
  }

  /// Fills `bytes` from `offset` on and returns how many there were before the end.
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

  /// Reads the bytes from `offset` on, at most `count` of them.
  package func bytes(at offset: Int64, upTo count: Int) throws(SoundFileError) -> [UInt8] {
    guard offset < end else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    let read = try read(into: &raw, at: offset)
    return Array(bytes.prefix(read))
  }

  /// Writes all of `bytes` at `offset`, however many calls that takes.
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

  /// Cuts the file off at `length`.
  package func truncate(to length: Int64) throws(SoundFileError) {
    try latched("ftruncate") { calls.truncate(descriptor.number, length) }
    state.withLock { $0.end = length }
  }

  /// Waits until the samples are on the disk, and their length; for a thread of its own.
  package func synchronizeData() throws(SoundFileError) {
    try latched("fdatasync") { calls.synchronizeData(descriptor.number) }
  }

  /// Waits until the whole file is on the disk and holds as many bytes as were written.
  package func finish() throws(SoundFileError) {
    try latched("fsync") { calls.synchronize(descriptor.number) }
    let actual = try regularSize(of: descriptor, named: label)
    guard actual == end else {
      throw .sizeDiffers(subject: label, expected: end, actual: actual)
    }
  }

  /// Copies all of it to a name that is free; throws `exists` for one that is not.
  package func copy(to name: String, in directory: borrowing Directory) throws(SystemError) {
    try AtomicFile.copy(descriptor, to: name, in: directory)
  }

  /// A second descriptor of the open file, for the repair after a failure.
  package func duplicate() throws(SoundFileError) -> Descriptor {
    do {
      return try descriptor.duplicate()
    } catch {
      throw .system(error)
    }
  }

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

/// The size of a regular file; anything else is refused, a pipe or a device would block or
/// misbehave.
private func regularSize(
  of descriptor: borrowing Descriptor, named label: String
) throws(SoundFileError) -> Int64 {
  let status: FileStatus
  do {
    status = try descriptor.status()
  } catch {
    throw .system(SystemError(error.function, label, errno: error.errno))
  }
  guard status.kind == .regular else { throw .notRegular(subject: label) }
  return status.size
}

/// The system calls that reach a file; a test puts failing ones in their place.
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
