internal import CSndFile
internal import Glibc

/// What libsndfile sees as its file: a part of ours, from `base` on, with a position of its own.
final class VirtualFile {
  let file: CheckedFile
  let base: Int64
  var position: Int64 = 0

  init(_ file: CheckedFile, from base: Int64) {
    self.file = file
    self.base = base
  }

  var length: Int64 { max(0, file.end - base) }
}

extension VirtualFile {
  /// Moves the position as `fseek` does; a place before the beginning is refused.
  func seek(_ offset: Int64, from whence: CInt) -> Int64 {
    let origin =
      switch whence {
      case SEEK_CUR: position
      case SEEK_END: length
      default: Int64(0)
      }
    let (target, overflow) = origin.addingReportingOverflow(offset)
    guard !overflow, target >= 0 else { return -1 }
    position = target
    return target
  }

  /// Reads at the position; nothing on a failure, which the file has latched.
  func read(into bytes: inout MutableRawSpan) -> Int64 {
    guard let count = try? file.read(into: &bytes, at: base + position) else { return 0 }
    position += Int64(count)
    return Int64(count)
  }

  /// Writes at the position; nothing on a failure, which the file has latched.
  func write(_ bytes: RawSpan) -> Int64 {
    guard (try? file.write(bytes, at: base + position)) != nil else { return 0 }
    position += Int64(bytes.byteCount)
    return Int64(bytes.byteCount)
  }
}

/// An open `SNDFILE`, and the virtual file that it reads or writes through.
///
/// Unchecked: libsndfile binds a handle to no thread, and a noncopyable owner is in one place at a time.
@safe struct SoundFileHandle: ~Copyable, @unchecked Sendable {
  private var pointer: OpaquePointer?
  private let virtual: VirtualFile

  /// The corresponding C function is `sf_open_virtual`.
  init(
    _ file: CheckedFile, from base: Int64, mode: Int, _ info: inout SF_INFO
  ) throws(SoundFileError) {
    let virtual = VirtualFile(file, from: base)
    var calls = virtualCalls
    let user = unsafe Unmanaged.passUnretained(virtual).toOpaque()
    let opened = unsafe sf_open_virtual(&calls, CInt(mode), &info, user)
    try file.throwFault()
    guard let opened = unsafe opened else {
      // The reason of a failed opening is a global of the library: it is read at once.
      throw SoundFileError(library: "sf_open_virtual", on: file, code: sf_error(nil))
    }
    unsafe self.pointer = opened
    self.virtual = virtual
  }

  deinit { if let pointer = unsafe pointer { unsafe sf_close(pointer) } }

  var file: CheckedFile { virtual.file }

  /// Runs a function of the library, then throws what the file or else the library found wrong.
  borrowing func call<Result>(
    _ function: String, _ body: (OpaquePointer) -> Result
  ) throws(SoundFileError) -> Result {
    guard let pointer = unsafe pointer else { preconditionFailure("closed") }
    let result = unsafe body(pointer)
    try file.throwFault()
    let code = unsafe sf_error(pointer)
    if code != 0 { throw SoundFileError(library: function, on: file, code: code) }
    return result
  }

  /// Asks the library what cannot fail.
  borrowing func ask<Result>(_ body: (OpaquePointer) -> Result) -> Result {
    guard let pointer = unsafe pointer else { preconditionFailure("closed") }
    return unsafe body(pointer)
  }

  /// Sends a command whose answer is nobody's concern; a format that does not know it leaves no error behind.
  borrowing func command<Value>(_ number: Int, _ value: inout Value) -> CInt {
    unsafe withUnsafeMutablePointer(to: &value) { value in
      unsafe sf_command(pointer, CInt(number), value, CInt(MemoryLayout<Value>.size))
    }
  }

  /// The corresponding C function is `sf_close`; its 0 says little, so ask the file as well.
  consuming func close() throws(SoundFileError) {
    let code = unsafe sf_close(pointer)
    unsafe pointer = nil
    try file.throwFault()
    if code != 0 { throw SoundFileError(library: "sf_close", on: file, code: code) }
  }
}

extension SoundFileError {
  /// The one place where a number of libsndfile becomes an error.
  init(library function: String, on file: CheckedFile, code: CInt) {
    let words = unsafe sf_error_number(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    self = .library(function: function, subject: file.label, code: code, words: words)
  }
}

private func virtualFile(_ user: UnsafeMutableRawPointer?) -> VirtualFile? {
  unsafe user.map { unsafe Unmanaged<VirtualFile>.fromOpaque($0).takeUnretainedValue() }
}

private var virtualCalls: SF_VIRTUAL_IO {
  unsafe SF_VIRTUAL_IO(
    get_filelen: { unsafe virtualFile($0)?.length ?? 0 },
    seek: { unsafe virtualFile($2)?.seek($0, from: $1) ?? -1 },
    read: { bytes, count, user in
      var span = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)).mutableBytes
      return unsafe virtualFile(user)?.read(into: &span) ?? 0
    },
    write: { bytes, count, user in
      let span = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count)).bytes
      return unsafe virtualFile(user)?.write(span) ?? 0
    },
    tell: { unsafe virtualFile($0)?.position ?? 0 })
}
