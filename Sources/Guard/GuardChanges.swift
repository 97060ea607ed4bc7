internal import Control
internal import Permission

/// A change of the permission store by the guard.
enum GuardChange: Sendable {
  /// Turns a grant for one recording into a grant for the connection of the query.
  case consume(AccessQuery, SessionID, GuardedProgram)
  /// Removes the grant of a connection that has ended.
  case end(SessionID)
  /// Stores an answer. The ticket is nil if the answer came from the desktop.
  case answer(GuardQuestion, GuardAnswer, Ticket?)
  /// Stores a decision in the ledger, because the portals' store did not accept it for the given
  /// reason.
  case keep(GuardedProgram, Bool, String)
}

/// The changes of the permission store that were not made yet. The guard does not wait for the lock
/// of the store, because it has to cut links meanwhile.
struct GuardChanges: Sendable {
  private var waiting: [(change: GuardChange, deadline: Duration)] = []
  /// The time of the next attempt, or nil if no change waits for the lock.
  private(set) var retry: Duration?

  /// The time after which a change fails if another process holds the lock.
  static let patience = Duration.seconds(5)
  private static let pause = Duration.milliseconds(20)

  /// Adds a change.
  mutating func add(_ change: GuardChange, at now: Duration) {
    waiting.append((change, now + Self.patience))
  }

  /// Returns whether an answer to a question waits to be stored.
  func hasAnswer(to number: Int) -> Bool {
    waiting.contains {
      if case .answer(let question, _, _) = $0.change { question.number == number } else { false }
    }
  }

  /// Makes the changes in their order. Stops if another process holds the lock of the store.
  /// Returns the changes that were made or have failed, with their failures.
  mutating func make(
    at now: Duration, _ store: (GuardChange) -> StoreFailure?
  ) -> [(change: GuardChange, failure: StoreFailure?)] {
    var made: [(change: GuardChange, failure: StoreFailure?)] = []
    retry = nil
    while let next = waiting.first {
      let failure = store(next.change)
      if case .locked? = failure, now < next.deadline {
        retry = now + Self.pause
        break
      }
      waiting.removeFirst()
      made.append((next.change, failure))
    }
    return made
  }
}
