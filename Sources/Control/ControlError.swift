package import Linux

/// A reason why a request to a session or the player got no result.
package enum ControlError: Error, Hashable, Sendable {
  /// No process listens at the path.
  case notRunning(path: String)
  /// The other end belongs to another user.
  case foreign(path: String, user: UInt32)
  /// The other end closed before it answered.
  case closed
  /// No answer came in time.
  case timedOut
  /// A line that is not of the protocol arrived.
  case malformed
  /// The server has no free place for another client.
  case busy
  /// The server understood the request and refused it.
  case refused(Refusal)
  /// A system call failed.
  case system(SystemError)
}

extension ControlError: CustomStringConvertible {
  /// The reason in words, with paths escaped for a terminal.
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
