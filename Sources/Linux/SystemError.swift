/// A system call that failed: its name, its subject and the reason.
package struct SystemError: Error, Hashable, Sendable {
  /// The C function, such as `openat`.
  package let function: String
  /// The path, name or address that it was about, where there is one.
  package let subject: String?
  /// The kernel's reason.
  package let errno: Errno

  /// A failure of the C function `function` on `subject`, a path as a rule; nil where there is
  /// none.
  package init(_ function: String, _ subject: String? = nil, errno: Errno) {
    self.function = function
    self.subject = subject
    self.errno = errno
  }
}

extension SystemError: CustomStringConvertible {
  /// `openat "/tmp/a": No such file or directory`.
  package var description: String {
    subject.map { "\(function) \"\($0)\": \(errno)" } ?? "\(function): \(errno)"
  }
}

/// Runs a call that answers −1 on failure, again after each interruption, and throws its error.
@discardableResult
package func checked<Result: SignedInteger>(
  _ function: String, _ subject: @autoclosure () -> String? = nil, _ call: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = call()
    guard result == -1 else { return result }
    let reason = Errno.last
    if reason != .interrupted { throw SystemError(function, subject(), errno: reason) }
  }
}

/// Throws for a call that answers its error number instead of setting `errno`, as the pthread family does.
package func requireZero(
  _ function: String, on subject: @autoclosure () -> String? = nil, _ code: Int32
) throws(SystemError) {
  guard code != 0 else { return }
  throw SystemError(function, subject(), errno: Errno(rawValue: code))
}
