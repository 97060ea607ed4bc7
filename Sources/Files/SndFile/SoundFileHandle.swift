internal import CSndFile
internal import Glibc
internal import Linux

/// An open `SNDFILE`, and the virtual file that it reads or writes.
///
/// Unchecked: libsndfile does not bind a handle to a thread, and a noncopyable value has one owner
/// at a time.
@safe struct SoundFileHandle: ~Copyable, @unchecked Sendable {
  private var pointer: OpaquePointer?
  private let virtual: VirtualFile

  /// The corresponding C function is `sf_open_virtual`.
  private init(_ virtual: VirtualFile, mode: Int, _ info: inout SF_INFO) throws(SoundFileError) {
    let file = virtual.file
    try SoundFileLibrary.prepare(for: file.label)
    var calls = virtualCalls
    let user = unsafe Unmanaged.passUnretained(virtual).toOpaque()
    let opened = unsafe sndfile.functions.open_virtual(&calls, CInt(mode), &info, user)
    try file.throwFault()
    guard let opened = unsafe opened else {
      // The library stores the reason for a failed open in a global variable, so read it
      // immediately.
      throw file.failure(of: "sf_open_virtual", code: sndfile.functions.error(nil))
    }
    unsafe self.pointer = opened
    self.virtual = virtual
  }

  /// Starts to write a file at `base`.
  init(writing file: CheckedFile, from base: Int64, _ info: inout SF_INFO) throws(SoundFileError) {
    try self.init(VirtualFile(file, from: base), mode: SFM_WRITE, &info)
  }

  /// Starts to read a view of a file.
  init(reading view: FileView, of file: CheckedFile, _ info: inout SF_INFO) throws(SoundFileError) {
    try self.init(VirtualFile(file, view), mode: SFM_READ, &info)
  }

  deinit { if let pointer = unsafe pointer { unsafe _ = sndfile.functions.close(pointer) } }

  var file: CheckedFile { virtual.file }

  /// Calls a function of the library. Throws the stored failure of the file, if there is one.
  /// Otherwise throws the error that the library reports, if there is one.
  borrowing func call<Result>(
    _ function: String, _ body: (sndfile_functions, OpaquePointer) -> Result
  ) throws(SoundFileError) -> Result {
    let result = unsafe ask(body)
    try file.throwFault()
    let code = unsafe ask { unsafe $0.error($1) }
    if code != 0 { throw file.failure(of: function, code: code) }
    return result
  }

  /// Calls a library function that cannot fail.
  borrowing func ask<Result>(_ body: (sndfile_functions, OpaquePointer) -> Result) -> Result {
    guard let pointer = unsafe pointer else { preconditionFailure("closed") }
    return unsafe body(sndfile.functions, pointer)
  }

  /// Sends a command. If the format does not support the command, the library stores no error, so
  /// the caller may ignore the result.
  borrowing func command<Value>(_ number: Int, _ value: inout Value) -> CInt {
    unsafe withUnsafeMutablePointer(to: &value) { value in
      unsafe sndfile.functions.command(pointer, CInt(number), value, CInt(MemoryLayout<Value>.size))
    }
  }

  /// The corresponding C function is `sf_close`. It returns 0 even after failed writes, so the
  /// stored failure of the file is thrown first.
  consuming func close() throws(SoundFileError) {
    let code = unsafe sndfile.functions.close(pointer)
    unsafe pointer = nil
    try file.throwFault()
    if code != 0 { throw file.failure(of: "sf_close", code: code) }
  }
}

extension CheckedFile {
  /// Converts an error number of libsndfile to an error.
  fileprivate func failure(of function: String, code: CInt) -> SoundFileError {
    let named = sndfile.functions.error_number(code)
    let words = unsafe named.map { unsafe String(cString: $0) } ?? "error \(code)"
    // Some messages begin with a useless prefix.
    let known = "Error : "
    return .library(
      function: function, subject: label, code: code,
      words: words.begins(with: known) ? String(words.dropFirst(known.count)) : words)
  }
}

extension SoundFileHandle {
  /// Writes 16-bit samples; the corresponding C function is `sf_write_short`.
  func write(shorts bytes: RawSpan) throws(SoundFileError) {
    try unsafe bytes.withUnsafeBytes { bytes throws(SoundFileError) in
      let samples = unsafe bytes.assumingMemoryBound(to: Int16.self)
      try unsafe write(samples, "sf_write_short", sndfile.functions.write_short)
    }
  }

  /// The corresponding C function is `sf_write_int`.
  func write(_ samples: Span<Int32>) throws(SoundFileError) {
    try unsafe samples.withUnsafeBufferPointer { samples throws(SoundFileError) in
      try unsafe write(samples, "sf_write_int", sndfile.functions.write_int)
    }
  }

  /// The corresponding C function is `sf_write_float`.
  func write(_ samples: Span<Float>) throws(SoundFileError) {
    try unsafe samples.withUnsafeBufferPointer { samples throws(SoundFileError) in
      try unsafe write(samples, "sf_write_float", sndfile.functions.write_float)
    }
  }

  /// The corresponding C function is `sf_readf_int`.
  func read(_ frames: Int, into samples: inout MutableSpan<Int32>) throws(SoundFileError) -> Int {
    let read = try unsafe call("sf_readf_int") { library, handle in
      unsafe samples.withUnsafeMutableBufferPointer {
        unsafe library.readf_int(handle, $0.baseAddress, sf_count_t(frames))
      }
    }
    return Int(read)
  }

  /// The corresponding C function is `sf_readf_float`.
  func read(_ frames: Int, into samples: inout MutableSpan<Float>) throws(SoundFileError) -> Int {
    let read = try unsafe call("sf_readf_float") { library, handle in
      unsafe samples.withUnsafeMutableBufferPointer {
        unsafe library.readf_float(handle, $0.baseAddress, sf_count_t(frames))
      }
    }
    return Int(read)
  }

  /// The corresponding C function is `sf_seek`.
  func seek(to frame: Int64) throws(SoundFileError) {
    _ = try unsafe call("sf_seek") { unsafe $0.seek($1, frame, SEEK_SET) }
  }

  private func write<Sample>(
    _ samples: UnsafeBufferPointer<Sample>, _ function: String,
    _ write: (OpaquePointer?, UnsafePointer<Sample>?, sf_count_t) -> sf_count_t
  ) throws(SoundFileError) {
    try file.throwFault()
    let count = sf_count_t(samples.count)
    let written = try unsafe call(function) { unsafe write($1, samples.baseAddress, count) }
    if written != count { throw .incomplete(function: function, subject: file.label) }
  }
}

/// libsndfile, which is loaded at its first use. Loading libsndfile with its dependencies takes a
/// tenth of the start time of a player, and not every player needs it.
let sndfile = unsafe LoadedLibrary(sndfile_functions(), load_sndfile)

/// The loading of libsndfile.
package enum SoundFileLibrary {
  /// Loads the library now, for a process that must not load it later. A thrown error names the
  /// file `label`.
  package static func prepare(for label: String = "libsndfile") throws(SoundFileError) {
    guard let words = sndfile.refusal else { return }
    throw .library(function: "dlopen", subject: label, code: 0, words: words)
  }
}

/// The file that libsndfile or libFLAC reads or writes, with a position. For reading, the file is a
/// view. For writing, it is the part of a file after an offset.
final class VirtualFile {
  private enum Content {
    case part(from: Int64)
    case view(FileView)
  }

  let file: CheckedFile
  var position: Int64 = 0
  private let content: Content

  /// Creates the part of a file that begins at `base`, for writing.
  init(_ file: CheckedFile, from base: Int64) {
    self.file = file
    content = .part(from: base)
  }

  /// Creates a view for reading.
  init(_ file: CheckedFile, _ view: FileView) {
    self.file = file
    content = .view(view)
  }

  var length: Int64 {
    switch content {
    case .part(let base): max(0, file.end - base)
    case .view(let view): view.count
    }
  }

  private func bytes(into bytes: inout MutableRawSpan) throws(SoundFileError) -> Int {
    switch content {
    case .part(let base): try file.read(into: &bytes, at: base + position)
    case .view(let view): try view.read(into: &bytes, at: position, of: file)
    }
  }

  /// Writes at the position. Returns 0 on a failure, which the file has stored.
  func write(_ bytes: RawSpan) -> Int64 {
    guard case .part(let base) = content,
      (try? file.write(bytes, at: base + position)) != nil
    else { return 0 }
    position += Int64(bytes.byteCount)
    return Int64(bytes.byteCount)
  }
}

extension VirtualFile {
  /// Moves the position as `fseek` does. Returns −1 for a position before the beginning.
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

  /// Reads at the position. Returns 0 on a failure, which the file has stored.
  func read(into bytes: inout MutableRawSpan) -> Int64 {
    guard let count = try? self.bytes(into: &bytes) else { return 0 }
    position += Int64(count)
    return Int64(count)
  }
}

/// The functions that libsndfile calls with a `VirtualFile`.
var virtualCalls: SF_VIRTUAL_IO {
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

private func virtualFile(_ user: UnsafeMutableRawPointer?) -> VirtualFile? {
  unsafe user.map { unsafe Unmanaged<VirtualFile>.fromOpaque($0).takeUnretainedValue() }
}
