package import Control
internal import Linux
internal import Store
internal import Synchronization

/// A recording in the program that created it, on a thread of its own.
///
/// `recorder status` and `recorder stop` see it like any other, and no command ever kills its process. The program's
/// signals, terminal and streams stay its own.
package final class HostedRecording: Sendable {
  private let host: Program

  /// Starts the recording, and returns once the first frame is captured.
  ///
  /// - Parameter words: the host's texts in results, statuses and replies.
  package init(_ plan: RecordingPlan, words: any TakeHost = PlainHost()) throws(TakeError) {
    let host: Program
    do throws(SystemError) {
      host = try Program(words)
    } catch {
      throw .step(.capture, error)
    }
    do throws(SystemError) {
      _ = try Thread("session") {
        do throws(TakeError) {
          host.end(.success(try SessionStart(plan, host, unless: host).begin().run()))
        } catch {
          host.end(.failure(error))
        }
      }
    } catch {
      throw .step(.capture, error)
    }
    self.host = host
    try host.awaitBegin()
  }

  /// The current state; nil once the recording has ended.
  package var status: RecordingStatus? {
    let status = Mutex<RecordingStatus?>(nil)
    try? host.order { session throws(TakeError) in status.withLock { $0 = session.status } }
    return status.withLock { $0 }
  }

  /// Pauses the recording: frames are discarded until it resumes.
  package func pause() throws(TakeError) {
    try host.order { session throws(TakeError) in session.pause() }
  }

  /// Resumes; throws after microphone access was lost.
  package func resume() throws(TakeError) {
    try host.order { session throws(TakeError) in try session.resume() }
  }

  /// Sets a mark at this moment.
  package func mark(_ text: MarkText = .none) throws(TakeError) {
    try host.order { session throws(TakeError) in session.mark(text) }
  }

  /// Continues in a new file.
  package func split() throws(TakeError) {
    try host.order { session throws(TakeError) in try session.split() }
  }

  /// Ends the recording and returns its result, once the file has its name.
  package func stop() throws(TakeError) -> RecordingResult {
    try? host.order { session throws(TakeError) in session.end(.stopped) }
    return try wait()
  }

  /// Waits for the end, independent of its cause, and returns the result.
  package func wait() throws(TakeError) -> RecordingResult { try host.awaitEnd() }
}

extension HostedRecording {
  /// An order that the session's thread carries out.
  fileprivate final class Order: Sendable {
    let work: @Sendable (SessionController) throws(TakeError) -> Void
    let done: Event
    let refusal = Mutex<TakeError?>(nil)

    init(_ work: @escaping @Sendable (SessionController) throws(TakeError) -> Void)
      throws(SystemError)
    {
      self.work = work
      done = try Event()
    }
  }

  /// The program as the session sees it.
  fileprivate final class Program: SessionHost, StopRequest {
    fileprivate struct State {
      var orders: [Order] = []
      var hasBegun = false
      var result: Result<RecordingResult, TakeError>?
    }

    fileprivate let state = Mutex(State())
    fileprivate let words: any TakeHost
    fileprivate let ordered: Event
    fileprivate let begun: Event
    fileprivate let ended: Event

    init(_ words: any TakeHost) throws(SystemError) {
      self.words = words
      ordered = try Event()
      begun = try Event()
      ended = try Event()
    }
  }
}

extension HostedRecording.Program {
  /// Runs an order on the session's thread, and waits until it is done.
  func order(
    _ work: @escaping @Sendable (SessionController) throws(TakeError) -> Void
  ) throws(TakeError) {
    let order: HostedRecording.Order
    do throws(SystemError) {
      order = try HostedRecording.Order(work)
      let isOver = state.withLock { state in
        if state.result == nil { state.orders.append(order) }
        return state.result != nil
      }
      guard !isOver else { throw SystemError("order", errno: .brokenPipe) }
      ordered.signal()
      _ = try order.done.descriptor.wait(upTo: nil)
    } catch {
      throw .step(.capture, error)
    }
    if let refusal = order.refusal.withLock({ $0 }) { throw refusal }
  }

  func wake(_ session: SessionController) {
    ordered.clear()
    let orders = state.withLock { state in
      defer { state.orders = [] }
      return state.orders
    }
    for order in orders {
      do throws(TakeError) {
        try order.work(session)
      } catch {
        order.refusal.withLock { $0 = error }
      }
      order.done.signal()
    }
  }

  func end(_ result: Result<RecordingResult, TakeError>) {
    let left = state.withLock { state in
      state.result = result
      defer { state.orders = [] }
      return state.orders
    }
    for order in left {
      order.refusal.withLock { $0 = .endedBeforeFirstFrame("ended") }
      order.done.signal()
    }
    begun.signal()
    ended.signal()
  }

  func awaitBegin() throws(TakeError) {
    _ = try? begun.descriptor.wait(upTo: nil)
    let (hasBegun, result) = state.withLock { ($0.hasBegun, $0.result) }
    if !hasBegun, case .failure(let error) = result { throw error }
  }

  func awaitEnd() throws(TakeError) -> RecordingResult {
    _ = try? ended.descriptor.wait(upTo: nil)
    guard let result = state.withLock({ $0.result }) else {
      throw .step(.end, SystemError("poll", errno: .interrupted))
    }
    return try result.get()
  }
}

extension HostedRecording.Program {
  // A part may be made to break its reader, which would break the program.
  var partReader: (any PartReader)? { nil }
  var isForeign: Bool { true }
  var leavesResult: Bool { true }
  var isLooking: Bool { false }
  var descriptors: [Int32] { [ordered.descriptor.number] }
  // The program's signals are its own.
  var number: Int32 { -1 }
  var hasCome: Bool { false }
  func take() {}
  func takeDoubt() -> Bool { false }

  func began(_ status: RecordingStatus) -> Bool {
    state.withLock { $0.hasBegun = true }
    begun.signal()
    return true
  }

  func show(_ status: RecordingStatus) {}
  func words(for news: SessionNews) -> String { "\(news)" }
  func report(_ news: SessionNews) {}
  func ended(_ result: RecordingResult, of plan: RecordingPlan) {}

  func words(for fault: TakeFault) -> String { words.words(for: fault) }
  func words(for cause: EndCause) -> String? { words.words(for: cause) }
  func words(for remark: ResultRemark) -> String { words.words(for: remark) }
  func words(for warning: SessionWarning) -> String { words.words(for: warning) }
  func refusal(for error: TakeError) -> Refusal { words.refusal(for: error) }
  func label(for cut: TimelineCut) -> String { words.label(for: cut) }
  func report(_ error: TakeError) { words.report(error) }
  func reportChanged(_ path: String) { words.reportChanged(path) }
  func completed(_ result: RecordingResult, of plan: RecordingPlan) {
    words.completed(result, of: plan)
  }
}
