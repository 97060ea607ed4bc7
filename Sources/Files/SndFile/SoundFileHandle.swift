internal import CSndFile

/// An open `SNDFILE`, and the virtual file that it reads or writes through.
///
/// Unchecked: libsndfile binds a handle to no thread, and a noncopyable owner is in one place at a time.
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

  /// Sends a command whose result may be ignored; a format that does not know it leaves no error behind.
  borrowing func command<Value>(_ number: Int, _ value: inout Value) -> CInt {
    unsafe withUnsafeMutablePointer(to: &value) { value in
      unsafe library.functions.command(
        pointer, CInt(number), value, CInt(MemoryLayout<Value>.size))
    }
  }

  /// The corresponding C function is `sf_close`; it returns 0 even after failed writes, so check the file as well.
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
      words: words.hasPrefix(known) ? String(words.dropFirst(known.count)) : words)
  }
}
