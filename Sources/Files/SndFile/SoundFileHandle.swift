internal import CSndFile

/// An open `SNDFILE`, and the virtual file that it reads or writes through.
///
/// Unchecked: libsndfile binds a handle to no thread, and a noncopyable owner is in one place at a time.
@safe struct SoundFileHandle: ~Copyable, @unchecked Sendable {
  private var pointer: OpaquePointer?
  private let virtual: VirtualFile

  /// The corresponding C function is `sf_open_virtual`.
  init(
    _ file: CheckedFile, from base: Int64, mode: Int, _ info: inout SF_INFO,
    correcting correction: SampleExtent.Correction? = nil
  ) throws(SoundFileError) {
    let virtual = VirtualFile(file, from: base, correcting: correction)
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
    // Some of them begin with what everybody knows by then.
    let known = "Error : "
    self = .library(
      function: function, subject: file.label, code: code,
      words: words.hasPrefix(known) ? String(words.dropFirst(known.count)) : words)
  }
}
