package import Linux

/// Why a conversation with a session or the player did not come about.
package enum ControlError: Error, Hashable, Sendable {
  /// Nobody listens at the path.
  case notRunning(path: String)
  /// The other end belongs to another user.
  case foreign(path: String, user: UInt32)
  /// The other end closed before it answered.
  case closed
  /// No answer came in time.
  case timedOut
  /// What came is not of the protocol.
  case malformed
  /// It serves as many programs as it can.
  case busy
  /// It was understood and not carried out.
  case refused(Refusal)
  /// A system call failed.
  case system(SystemError)
}

extension ControlError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notRunning(let path): "nobody listens at \"\(PrintableText.escape(path))\""
    case .foreign(let path, let user):
      "\"\(PrintableText.escape(path))\" belongs to user \(user)"
    case .closed: "the other end closed"
    case .timedOut: "no answer came in time"
    case .malformed: "what came is not of the protocol"
    case .busy: "it serves as many programs as it can"
    case .refused(let refusal): refusal.message
    case .system(let error): "\(error)"
    }
  }
}
