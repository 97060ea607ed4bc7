internal import Audio
package import Control
internal import JSON
internal import Linux

/// The clients that wait for the effect of a request or for the position of a mark.
struct SessionWaiters {
  /// A client that waits for the effect of a request.
  private struct Order {
    let ticket: Ticket
    /// The number of the request.
    let number: Int
    /// The latest time of the reply, or nil for no limit.
    let deadline: Duration?
  }

  private var orders: [Order] = []
  /// The waiters for the marks whose positions are not known yet.
  private var marks: [MarkWaiter] = []
  private var replies: [(Ticket, Reply)] = []

  /// Whether a client or the host waits.
  var isEmpty: Bool { orders.isEmpty && !marks.contains(where: \.isThere) }

  mutating func add(_ ticket: Ticket, order number: Int, upTo limit: Duration?) {
    let deadline = limit.map { KernelClock.monotonic.now + $0 }
    orders.append(Order(ticket: ticket, number: number, deadline: deadline))
  }

  mutating func add(_ mark: MarkWaiter) { marks.append(mark) }

  /// Passes the position of the next mark to its waiter.
  mutating func report(
    _ mark: String, at frame: FrameCount, _ time: Duration, _ state: @autoclosure () -> JSONObject
  ) {
    let waiter = marks.isEmpty ? MarkWaiter.nobody : marks.removeFirst()
    switch waiter {
    case .nobody: return
    case .host(let done): done(.success(time))
    case .client(let ticket):
      var answer = state()
      answer["mark"] = ["frame": frame.value.json, "time": time.json, "label": mark.json]
      replies.append((ticket, .done(answer)))
    }
  }

  /// Replies to the clients whose request has had its effect or whose deadline has passed.
  mutating func answer(obeyed: @autoclosure () -> Int, _ state: @autoclosure () -> JSONObject) {
    if orders.isEmpty { return }
    let (obeyed, now) = (obeyed(), KernelClock.monotonic.now)
    let isDue = { (order: Order) in
      order.number <= obeyed || order.deadline.map { $0 <= now } ?? false
    }
    replies += orders.filter(isDue).map { ($0.ticket, .done(state())) }
    orders.removeAll(where: isDue)
  }

  /// Refuses all waiters, because the take has ended.
  mutating func refuse(_ error: TakeError, _ refusal: Refusal) {
    for waiter in marks {
      switch waiter {
      case .nobody: continue
      case .host(let done): done(.failure(error))
      case .client(let ticket): replies.append((ticket, .refused(refusal)))
      }
    }
    replies += orders.map { ($0.ticket, .refused(refusal)) }
    (marks, orders) = ([], [])
  }

  /// Returns the replies since the last call.
  mutating func takeReplies() -> [(Ticket, Reply)] {
    defer { replies = [] }
    return replies
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
