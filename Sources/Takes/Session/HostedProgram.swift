package import Audio
internal import Control
internal import Linux
package import Recording
internal import Synchronization

/// The session host for a recording inside another program.
final class HostedProgram: SessionHost, PlainTakeHost, StopRequest {
  typealias SessionWork = @Sendable (SessionController) -> @Sendable () -> Void

  /// A request for the session's thread. `run` returns the closure that delivers the answer.
  private struct Order {
    let run: SessionWork
    let refuse: @Sendable (any Error) -> Void
  }

  private struct State {
    var orders: [Order] = []
    var begun: HostedAnswer<Void>?
    var ended: [HostedAnswer<RecordingResult>] = []
    var result: Result<RecordingResult, any Error>?
    /// The running take. It is set to nil at the end to break a reference cycle, because this
    /// object is the host of the take.
    var take: LiveTake?
    /// The final facts of the take.
    var last: HostedFacts?
    var session: RecordingStatus.State?
  }

  let monitor: (any TakeMonitor)?
  private let plan: RecordingPlan
  private let completed: @Sendable (RecordingResult) -> Void
  private let state = Mutex(State())
  private let ordered: Event
  private let stopping: Event
  private let isStopping = Atomic<Bool>(false)
  private let isDiscarding = Atomic<Bool>(false)

  init(
    _ plan: RecordingPlan, _ monitor: (any TakeMonitor)?,
    completed: @escaping @Sendable (RecordingResult) -> Void
  ) throws(SystemError) {
    self.plan = plan
    self.monitor = monitor
    self.completed = completed
    ordered = try Event()
    stopping = try Event()
  }

  var liveState: RecordingStatus.State? {
    state.withLock { $0.result == nil ? $0.session : nil }
  }

  var facts: HostedFacts? {
    let (take, last) = state.withLock { ($0.take, $0.last) }
    return last ?? take.map(HostedFacts.init)
  }
}

extension HostedProgram {
  func begin(namePatience patience: Duration, _ told: @escaping HostedAnswer<Void>) {
    state.withLock { $0.begun = told }
    do throws(SystemError) {
      _ = try Thread("session") { [self] in end(record(patience)) }
    } catch {
      end(.failure(error))
    }
  }

  /// Runs the session until the take has ended. When this returns, the session's resources, such as
  /// the lock of its name, are released.
  private func record(_ namePatience: Duration) -> Result<RecordingResult, any Error> {
    Result { try SessionStart(plan, self, unless: self).begin(namePatience: namePatience).run() }
  }

  private func end(_ result: Result<RecordingResult, any Error>) {
    let last = facts
    let (left, begun, ended) = state.withLock { state in
      (state.result, state.last, state.take) = (result, last, nil)
      defer { (state.orders, state.begun, state.ended) = ([], nil, []) }
      return (state.orders, state.begun, state.ended)
    }
    for order in left { order.refuse(ending) }
    if let begun {
      begun(result.map { _ in })
    }
    for told in ended { told(result) }
  }

  func whenEnded(_ told: @escaping HostedAnswer<RecordingResult>) {
    let result = state.withLock { state in
      if state.result == nil { state.ended.append(told) }
      return state.result
    }
    if let result { told(result) }
  }

  func requestEnd(discarding: Bool) {
    if discarding { isDiscarding.store(true, ordering: .releasing) }
    isStopping.store(true, ordering: .releasing)
    stopping.signal()
  }

  private var ending: TakeError {
    SessionName(plan.name).map { .ending($0) } ?? .nameless
  }
}

extension HostedProgram {
  /// Sends a request to the session's thread. It fails if the session is ending.
  func order<Value: Sendable>(
    _ told: @escaping HostedAnswer<Value>,
    work: @escaping @Sendable (SessionController) throws -> Value
  ) {
    append(told) { session in
      let result = Result<Value, any Error> {
        guard session.ending == nil else { throw TakeError.ending(session.take.name) }
        return try work(session)
      }
      return { told(result) }
    }
  }

  /// Sets a mark. `told` receives the position of the mark once it is known.
  func mark(_ text: MarkText, _ told: @escaping HostedAnswer<Duration>) {
    append(told) { session in
      guard session.ending == nil else {
        return { [name = session.take.name] in told(.failure(TakeError.ending(name))) }
      }
      session.mark(text, for: .host(told))
      return {}
    }
  }

  private func append<Value: Sendable>(
    _ told: @escaping HostedAnswer<Value>, _ run: @escaping SessionWork
  ) {
    let isOver = state.withLock { state in
      if state.result == nil {
        state.orders.append(Order(run: run, refuse: { told(.failure($0)) }))
      }
      return state.result != nil
    }
    if isOver { told(.failure(ending)) } else { ordered.signal() }
  }

  func wakeSession() { ordered.signal() }

  func wake(_ session: SessionController) {
    ordered.clear()
    let orders = state.withLock { state in
      defer { state.orders = [] }
      return state.orders
    }
    let answers = orders.map { $0.run(session) }
    let now = session.state
    state.withLock { state in
      state.take = session.take
      state.session = now
    }
    // Answer only after the update, so that the callers see the new state.
    for answer in answers { answer() }
  }
}

extension HostedProgram {
  // No reader, because it would run inside this program, and a malicious part could crash the
  // program.
  var partReader: (any PartReader)? { nil }
  var isForeign: Bool { true }
  var leavesResult: Bool { true }
  var isLooking: Bool { false }
  var descriptors: [Int32] { [ordered.descriptor.number] }

  var number: Int32 { stopping.descriptor.number }
  var hasCome: Bool { isStopping.load(ordering: .acquiring) }
  var cause: EndCause { isDiscarding.load(ordering: .acquiring) ? .cancelled : .stopped }
  func take() { stopping.clear() }
  func takeDoubt() -> Bool { false }

  func began(_ status: RecordingStatus) -> Bool {
    let begun = state.withLock { state in
      state.session = status.state
      return state.begun.take()
    }
    begun?(.success(()))
    return true
  }

  func show(_ status: RecordingStatus) {}
  func report(_ news: SessionNews) {}
  func ended(_ result: RecordingResult, of plan: RecordingPlan) {}

  func completed(_ result: RecordingResult, of plan: RecordingPlan) { completed(result) }
}

/// A closure that receives the answer to a request.
package typealias HostedAnswer<Value: Sendable> = @Sendable (Result<Value, any Error>) -> Void

/// The formats and the progress of a hosted take at one instant.
package struct HostedFacts: Sendable {
  /// The format that the device delivers.
  package let input: StreamFormat
  /// The format of the frames that are written.
  package let output: StreamFormat
  /// The writer's progress.
  package let progress: TakeProgress
  /// The length of the take at the device's rate, including the frames that are not written yet.
  package let length: FrameCount
  /// The path of the file that is being written, or nil if there is none.
  package let path: String?

  init(_ take: LiveTake) {
    (input, output) = (take.input, take.output)
    progress = take.recording.progress
    length = take.recording.length
    path = take.partFile?.path
  }
}
