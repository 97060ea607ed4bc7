package import Control

/// A client that waits for the effect of an order.
struct OrderWaiter {
  let ticket: Ticket
  /// The number of the order.
  let order: Int
  /// The time of the reply if there is no effect until then; nil for no limit.
  let deadline: Duration?

  func isDue(after obeyed: Int, at now: Duration) -> Bool {
    order <= obeyed || deadline.map { $0 <= now } ?? false
  }
}

/// A waiter for the position of a mark.
package enum MarkWaiter: Sendable {
  /// Nobody, as after a key.
  case nobody
  case client(Ticket)
  /// The program of the session itself.
  case host(@Sendable (Result<Duration, TakeError>) -> Void)

  /// True if there is somebody.
  var isThere: Bool { if case .nobody = self { false } else { true } }
}
