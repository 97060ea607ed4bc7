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
    /// The latest time of the reply.
    let deadline: Duration
    /// For a split, the number of failed files at the time of the request. Nil for any other
    /// request. The deadline of a split applies only while the device is disconnected.
    let refusals: Int?
  }

  private var orders: [Order] = []
  /// The waiters for the marks whose positions are not known yet. While the device is disconnected,
  /// a client gets its reply at the deadline.
  private var marks: [(waiter: MarkWaiter, deadline: Duration)] = []
  private var replies: [(Ticket, Reply)] = []

  /// The longest wait for the effect of a request. While a device is disconnected, requests have no
  /// effect.
  private static let patience = Duration.seconds(1)

  /// True if neither a client nor the host waits.
  var isEmpty: Bool { orders.isEmpty && !marks.contains { $0.waiter.isThere } }

  mutating func add(_ ticket: Ticket, order number: Int, refusals: Int?) {
    let deadline = KernelClock.monotonic.now + Self.patience
    orders.append(Order(ticket: ticket, number: number, deadline: deadline, refusals: refusals))
  }

  mutating func add(_ mark: MarkWaiter) {
    marks.append((mark, KernelClock.monotonic.now + Self.patience))
  }

  /// Passes the position of the next mark to its waiter.
  mutating func report(
    _ mark: String, at frame: FrameCount, _ time: Duration, _ state: @autoclosure () -> JSONObject
  ) {
    let waiter = marks.isEmpty ? MarkWaiter.nobody : marks.removeFirst().waiter
    switch waiter {
    case .nobody: return
    case .host(let done): done(.success(time))
    case .client(let ticket):
      var answer = state()
      answer["mark"] = ["frame": frame.value.json, "time": time.json, "label": mark.json]
      replies.append((ticket, .done(answer)))
    }
  }

  /// Replies to each client whose request has had its effect or has reached its deadline. If the
  /// deadline of a mark is reached, the reply has no position.
  ///
  /// - Parameter refusal: returns the refusal of a split, or nil if the number of failed files is
  ///   still the given number.
  mutating func answer(
    obeyed: @autoclosure () -> Int, isAway: Bool, refusal: (Int) -> Refusal?,
    _ state: @autoclosure () -> JSONObject
  ) {
    if isEmpty { return }
    let (obeyed, now) = (obeyed(), KernelClock.monotonic.now)
    for index in marks.indices where isAway && marks[index].deadline <= now {
      // The mark will be set when the device returns. Only its position is unknown until then.
      guard case .client(let ticket) = marks[index].waiter else { continue }
      marks[index].waiter = .nobody
      replies.append((ticket, .done(state())))
    }
    let isDue = { (order: Order) in
      order.number <= obeyed || (order.deadline <= now && (isAway || order.refusals == nil))
    }
    for order in orders.filter(isDue) {
      let reason = order.number <= obeyed ? order.refusals.flatMap(refusal) : nil
      replies.append((order.ticket, reason.map(Reply.refused) ?? .done(state())))
    }
    orders.removeAll(where: isDue)
  }

  /// Refuses all waiters, because the take has ended.
  mutating func refuse(_ error: TakeError, _ refusal: Refusal) {
    for mark in marks {
      switch mark.waiter {
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
