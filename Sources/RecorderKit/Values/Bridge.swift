internal import Linux
internal import Synchronization
internal import Takes

/// A function that receives the answer to an asynchronous call, on another thread.
typealias Told<Value: Sendable> = @Sendable (Result<Value, any Error>) -> Void

/// Runs `body`, and throws each of its errors as a `RecorderError`.
///
/// - Parameters:
///   - path: the file that `body` reads or writes, or nil if there is none.
///   - isWriting: whether `body` writes the file.
func translated<Value: ~Copyable>(
  of path: String? = nil, isWriting: Bool = false, _ body: () throws -> Value
) throws(RecorderError) -> Value {
  try mapError(
    { (error: any Error) in
      path.map { RecorderError(error, of: $0, isWriting: isWriting) } ?? RecorderError(error)
    }, body)
}

/// Opens /dev/null for each standard stream that is closed when this library is first used.
/// Otherwise a recording could get the descriptor number of such a stream, and the program would
/// write its messages into the recording.
func holdStandardStreams() { _ = HeldStreams.all }

private enum HeldStreams {
  static let all: Void = StandardStream.holdClosed()
}

/// Makes an asynchronous call, and suspends the task until its answer arrives.
func answer<Value: Sendable>(
  of call: (@escaping Told<Value>) -> Void
) async throws(RecorderError) -> Value {
  let result: Result<Value, any Error> = await withCheckedContinuation { waiting in
    call { waiting.resume(returning: $0) }
  }
  return try translated { try result.get() }
}

/// Runs blocking work on its own thread, and suspends the task until the work is done. If no thread
/// can be created, runs it on the calling thread.
func onThread<Value: Sendable, Failure: Error>(
  _ name: String, _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  let result: Result<Value, Failure> = await withCheckedContinuation { waiting in
    let run: @Sendable () -> Void = { waiting.resume(returning: Result(catching: work)) }
    if (try? Thread(name, body: run)) == nil { run() }
  }
  return try result.get()
}

/// Waits for the answer to a call. Never use it on a thread of Swift concurrency.
func awaiting<Value: Sendable>(
  _ call: (@escaping @Sendable (Value) -> Void) -> Void
) throws(RecorderError) -> Value {
  let awaited = try translated { try Awaited<Value>() }
  call { awaited.set($0) }
  return awaited.value
}

/// Waits for the answer to an asynchronous call. Never use it on a thread of Swift concurrency.
func awaitingAnswer<Value: Sendable>(
  of call: (@escaping Told<Value>) -> Void
) throws(RecorderError) -> Value {
  let result: Result<Value, any Error> = try awaiting(call)
  return try translated { try result.get() }
}

/// A slot for a running object. Another thread can request the end of the object through the slot,
/// even before the object is in the slot.
final class Endable<Running: Sendable>: Sendable {
  private let state = Mutex((running: Running?.none, isOver: false))

  /// Whether the end was requested.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Fills or empties the slot. Returns false if the end was requested before.
  @discardableResult
  func set(_ running: Running?) -> Bool {
    state.withLock { state in
      state.running = running
      return !state.isOver
    }
  }

  /// Requests the end. Calls `end` if an object is in the slot. The object stays there during the
  /// call.
  func end(_ end: (Running) -> Void) {
    state.withLock { state in
      state.isOver = true
      if let running = state.running { end(running) }
    }
  }
}

/// A value that any number of tasks can wait for. It is set once per round, such as a play.
final class Promise<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    /// The latest round that has begun.
    var round = 0
    var waiting: [(round: Int, task: CheckedContinuation<Value, Never>)] = []
  }

  private let state = Mutex(State())

  /// Sets the value of a round, and resumes the tasks that wait for the value of this round or of
  /// an earlier round. Calls `news` before that, while no other round can begin. The argument of
  /// `news` is true if this is the latest round.
  func set(_ value: Value, of round: Int = 0, telling news: (Bool) -> Void = { _ in }) {
    let due = state.withLock { state in
      let isLatest = round >= state.round
      if isLatest { (state.value, state.round) = (.some(value), round) }
      news(isLatest)
      let due = state.waiting.filter { $0.round <= round }.map(\.task)
      state.waiting.removeAll { $0.round <= round }
      return due
    }
    for task in due { task.resume(returning: value) }
  }

  /// Clears the value of the former round, unless this round already has its value.
  func begin(_ round: Int) {
    state.withLock { state in
      if round > state.round { (state.value, state.round) = (.none, round) }
    }
  }

  /// The value of the latest round. Waits until it is set.
  var value: Value {
    get async {
      await withCheckedContinuation { task in
        let value = state.withLock { state in
          if case .none = state.value { state.waiting.append((state.round, task)) }
          return state.value
        }
        if case .some(let value) = value { task.resume(returning: value) }
      }
    }
  }
}
