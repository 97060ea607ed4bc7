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
  /// It was understood and not carried out.
  case refused(Refusal)
  /// A system call failed.
  case system(SystemError)
}
