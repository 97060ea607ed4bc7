internal import CSndFile
internal import Glibc
internal import Linux

/// An open `SNDFILE`, and the virtual file that it reads or writes through.
///
/// Unchecked: libsndfile binds a handle to no thread, and a noncopyable owner is in one place at a
/// time.
@safe struct SoundFileHandle: ~Copyable, @unchecked Sendable {
  private var pointer: OpaquePointer?
  private let virtual: VirtualFile
  private let library: SoundFileLibrary

  /// The corresponding C function is `sf_open_virtual`.
  private init(
    _ virtual: VirtualFile, mode: Int, _ info: inout SF_INFO
  ) throws(SoundFileError) {
    let file = virtual.file
    let library = try SoundFileLibrary.get(for: file.label)
    var calls = virtualCalls
    let user = unsafe Unmanaged.passUnretained(virtual).toOpaque()
    let opened = unsafe library.functions.open_virtual(&calls, CInt(mode), &info, user)
    try file.throwFault()
    guard let opened = unsafe opened else {
      // The reason of a failed opening is a global of the library: it is read at once.
      throw library.failure(
        of: "sf_open_virtual", on: file, code: library.functions.error(nil))
    }
    unsafe self.pointer = opened
    self.virtual = virtual
    self.library = library
  }

  /// Begins to write a file from `base` on.
  init(writing file: CheckedFile, from base: Int64, _ info: inout SF_INFO) throws(SoundFileError) {
    try self.init(VirtualFile(file, from: base), mode: SFM_WRITE, &info)
  }

  /// Begins to read a view of a file.
  init(reading view: FileView, of file: CheckedFile, _ info: inout SF_INFO) throws(SoundFileError) {
    try self.init(VirtualFile(file, view), mode: SFM_READ, &info)
  }

  deinit { if let pointer = unsafe pointer { unsafe _ = library.functions.close(pointer) } }

  var file: CheckedFile { virtual.file }

  /// Runs a function of the library, then throws the file's failure, or else the library's.
  borrowing func call<Result>(
    _ function: String, _ body: (sndfile_functions, OpaquePointer) -> Result
  ) throws(SoundFileError) -> Result {
    let result = unsafe ask(body)
    try file.throwFault()
    let code = unsafe ask { unsafe $0.error($1) }
    if code != 0 { throw library.failure(of: function, on: file, code: code) }
    return result
  }

  /// Runs a function of the library that cannot fail.
  borrowing func ask<Result>(_ body: (sndfile_functions, OpaquePointer) -> Result) -> Result {
    guard let pointer = unsafe pointer else { preconditionFailure("closed") }
    return unsafe body(library.functions, pointer)
  }

  /// Sends a command whose result may be ignored; a format that does not know it leaves no error
  /// behind.
  borrowing func command<Value>(_ number: Int, _ value: inout Value) -> CInt {
    unsafe withUnsafeMutablePointer(to: &value) { value in
      unsafe library.functions.command(
        pointer, CInt(number), value, CInt(MemoryLayout<Value>.size))
    }
  }

  /// The corresponding C function is `sf_close`; it returns 0 even after failed writes, so check
  /// the file as well.
  consuming func close() throws(SoundFileError) {
    let code = unsafe library.functions.close(pointer)
    unsafe pointer = nil
    try file.throwFault()
    if code != 0 { throw library.failure(of: "sf_close", on: file, code: code) }
  }
}

extension SoundFileLibrary {
  /// The one place where a number of libsndfile becomes an error.
  func failure(of function: String, on file: CheckedFile, code: CInt) -> SoundFileError {
    let named = functions.error_number(code)
    let words = unsafe named.map { unsafe String(cString: $0) } ?? "error \(code)"
    // Some messages begin with a prefix that adds nothing.
    let known = "Error : "
    return .library(
      function: function, subject: file.label, code: code,
      words: words.begins(with: known) ? String(words.dropFirst(known.count)) : words)
  }
}

extension SoundFileHandle {
  /// The corresponding C function is `sf_write_raw`.
  func write(_ bytes: RawSpan) throws(SoundFileError) {
    let count = sf_count_t(bytes.byteCount)
    try unsafe transfer(count, "sf_write_raw") { library, handle in
      unsafe bytes.withUnsafeBytes {
        unsafe library.write_raw(handle, $0.baseAddress, count)
      }
    }
  }

  /// Writes 16-bit samples; the corresponding C function is `sf_write_short`.
  func write(shorts bytes: RawSpan) throws(SoundFileError) {
    let count = sf_count_t(bytes.byteCount / MemoryLayout<Int16>.size)
    try unsafe transfer(count, "sf_write_short") { library, handle in
      unsafe bytes.withUnsafeBytes { bytes in
        let samples = unsafe bytes.assumingMemoryBound(to: Int16.self)
        return unsafe library.write_short(handle, samples.baseAddress, count)
      }
    }
  }

  /// The corresponding C function is `sf_write_int`.
  func write(_ samples: Span<Int32>) throws(SoundFileError) {
    let count = sf_count_t(samples.count)
    try unsafe transfer(count, "sf_write_int") { library, handle in
      unsafe samples.withUnsafeBufferPointer {
        unsafe library.write_int(handle, $0.baseAddress, count)
      }
    }
  }

  /// The corresponding C function is `sf_write_float`.
  func write(_ samples: Span<Float>) throws(SoundFileError) {
    let count = sf_count_t(samples.count)
    try unsafe transfer(count, "sf_write_float") { library, handle in
      unsafe samples.withUnsafeBufferPointer {
        unsafe library.write_float(handle, $0.baseAddress, count)
      }
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

  private func transfer(
    _ count: sf_count_t, _ function: String,
    _ write: (sndfile_functions, OpaquePointer) -> sf_count_t
  ) throws(SoundFileError) {
    try file.throwFault()
    let written = try unsafe call(function, write)
    if written != count { throw .incomplete(function: function, subject: file.label) }
  }
}

/// libsndfile, loaded at its first use: with the libraries that it needs itself it would be a tenth
/// of the time in which a player that needs none of them begins to play.
///
/// Unchecked: functions of a library that is never unloaded.
@safe package struct SoundFileLibrary: @unchecked Sendable {
  let functions: sndfile_functions

  private static let loaded = load()

  private static func load() -> Result<SoundFileLibrary, LoadFailure> {
    var functions = sndfile_functions()
    if let words = unsafe load_sndfile(&functions) {
      return .failure(LoadFailure(words: unsafe String(cString: words)))
    }
    return .success(SoundFileLibrary(functions: functions))
  }

  private struct LoadFailure: Error {
    let words: String
  }

  /// The library, for a file of this name.
  static func get(for label: String) throws(SoundFileError) -> SoundFileLibrary {
    switch loaded {
    case .success(let library): return library
    case .failure(let failure):
      throw .library(function: "dlopen", subject: label, code: 0, words: failure.words)
    }
  }

  /// Loads the library ahead, for a process that may not load it later.
  package static func prepare() throws(SoundFileError) { _ = try get(for: "libsndfile") }
}

/// The file as libsndfile reads or writes it: a view, or a part of a file that is being written,
/// with a position.
private final class VirtualFile {
  private enum Content {
    case part(from: Int64)
    case view(FileView)
  }

  let file: CheckedFile
  var position: Int64 = 0
  private let content: Content

  /// The part of a file that begins at `base` and grows.
  init(_ file: CheckedFile, from base: Int64) {
    self.file = file
    content = .part(from: base)
  }

  /// A view that is read.
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

  /// Writes at the position; nothing on a failure, which the file has latched.
  func write(_ bytes: RawSpan) -> Int64 {
    guard case .part(let base) = content,
      (try? file.write(bytes, at: base + position)) != nil
    else { return 0 }
    position += Int64(bytes.byteCount)
    return Int64(bytes.byteCount)
  }
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
