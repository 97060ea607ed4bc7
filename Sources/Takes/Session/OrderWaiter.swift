package import Control

/// A client that waits for the effect of a request.
struct OrderWaiter {
  let ticket: Ticket
  /// The number of the request.
  let order: Int
  /// The time of the reply if there is no effect until then, or nil for no limit.
  let deadline: Duration?

  func isDue(after obeyed: Int, at now: Duration) -> Bool {
    order <= obeyed || deadline.map { $0 <= now } ?? false
  }
}

/// A waiter for the position of a mark.
package enum MarkWaiter: Sendable {
  /// No waiter, for example after a key press.
  case nobody
  case client(Ticket)
  /// The program that hosts the session.
  case host(@Sendable (Result<Duration, any Error>) -> Void)

  /// Whether a client or the host waits.
  var isThere: Bool { if case .nobody = self { false } else { true } }
}
