/// The functions of a C library that is loaded at its first use, because most commands do not need
/// it.
///
/// Unchecked: contains only functions of a library that is never unloaded.
@safe package struct LoadedLibrary<Functions>: @unchecked Sendable {
  /// The functions. Do not call them if `refusal` is not nil.
  package let functions: Functions
  /// The system's error message if the library cannot be loaded, or nil.
  package let refusal: String?

  /// Loads a library. `load` opens the library and stores the addresses of its functions. It
  /// returns an error message, or nil if it succeeds.
  package init(
    _ functions: Functions, _ load: (UnsafeMutablePointer<Functions>) -> UnsafePointer<CChar>?
  ) {
    var functions = functions
    let words = unsafe load(&functions)
    refusal = unsafe words.map { unsafe String(cString: $0) }
    self.functions = functions
  }
}
