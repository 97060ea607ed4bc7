internal import CLinux
internal import Glibc

extension Spawn {
  /// Becomes the program and returns only by throwing. The corresponding C function is `execve`.
  ///
  /// `descriptors`, `startsSession` and `directory` are as this process has them.
  package func replaceProcess() throws(SystemError) -> Never {
    try refuseNULs()
    for signal in [Signal.brokenPipe, .fileTooLarge] { signal.restoreDefault() }
    var none = sigset_t([])
    _ = unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    _ = unsafe withVectors { unsafe execve(executable, $0, $1) }
    throw SystemError("execve", executable, errno: .last)
  }

  func refuseNULs() throws(SystemError) {
    for text in [executable] + arguments + environment { try refuseNUL("execve", text) }
  }

  /// Calls a C function with the vectors of arguments and environment.
  func withVectors(_ body: (StringVector.Pointer, StringVector.Pointer) -> CInt) -> CInt {
    let arguments = StringVector([executable] + arguments)
    let environment = StringVector(environment)
    return unsafe body(arguments.pointer, environment.pointer)
  }
}

/// Strings in C's memory, ended by a null pointer, as `execve` takes them.
@safe struct StringVector: ~Copyable {
  typealias Pointer = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  let pointer: Pointer
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    unsafe pointer = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() {
      unsafe (pointer + index).initialize(to: strdup(string))
    }
    unsafe (pointer + count).initialize(to: nil)
  }

  /// Leaves the strings in memory for good.
  consuming func release() -> Pointer {
    let pointer = unsafe pointer
    discard self
    return unsafe pointer
  }

  deinit {
    for index in 0..<count { unsafe free(pointer[index]) }
    unsafe pointer.deallocate()
  }
}
