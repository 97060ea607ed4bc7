internal import Synchronization

/// A sequence of events for any number of listeners. It ends when the source of the events ends.
///
/// A listener receives the events that are sent after it starts to listen. A slow listener misses
/// its oldest events, and does not delay other listeners. Cancelling the task stops listening.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = Never
  private let source: Broadcast<Element>

  init(_ source: Broadcast<Element>) { self.source = source }

  /// Starts to listen.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscribe()) }

  /// Starts to listen. Only one task may receive the events of the subscription.
  func subscribe() -> Subscription<Element> { Subscription(to: source) }

  /// One listener.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let subscription: Subscription<Element>

    fileprivate init(_ subscription: Subscription<Element>) { self.subscription = subscription }

    /// Returns the next event, or nil after the end and in a cancelled task.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await subscription.next()
    }
  }
}

/// The sending side of `Updates`. Any thread may send, and sending does not wait for listeners.
final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var inboxes: [Int: Inbox<Element>] = [:]
    var next = 0
    var isOver = false
    var audienceChanged: @Sendable (Bool) -> Void = { _ in }
    /// The argument of the last call of `audienceChanged`.
    var reportedAudience = false
    /// Whether a thread is calling `audienceChanged`.
    var isReporting = false

    /// Returns the next call of `audienceChanged`, or nil if no call is needed or a call is
    /// running.
    mutating func takeReport() -> (@Sendable () -> Void)? {
      let hasAudience = !inboxes.isEmpty
      guard !isReporting, hasAudience != reportedAudience else { return nil }
      (isReporting, reportedAudience) = (true, hasAudience)
      return { [audienceChanged] in audienceChanged(hasAudience) }
    }
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let dropping: (@Sendable (Element, Element) -> Element)?

  /// - Parameters:
  ///   - capacity: the number of events that are kept for a slow listener.
  ///   - dropping: receives a dropped event and the next event. Returns a replacement for the next
  ///     event, which also reports the dropped event.
  init(keeping capacity: Int, dropping: (@Sendable (Element, Element) -> Element)? = nil) {
    self.capacity = capacity
    self.dropping = dropping
  }

  /// Sets the closure that is called with true when the first listener starts to listen, and with
  /// false after the last listener has stopped. The calls are made in order. A change that was
  /// reversed before its call is not reported.
  func whenAudienceChanges(_ call: @escaping @Sendable (Bool) -> Void) {
    state.withLock { $0.audienceChanged = call }
  }

  /// The receiving side.
  var updates: Updates<Element> { Updates(self) }

  /// Whether there are listeners.
  var hasAudience: Bool { state.withLock { !$0.inboxes.isEmpty } }

  /// Sends an event to all listeners.
  func send(_ element: Element) {
    let inboxes = state.withLock { Array($0.inboxes.values) }
    for inbox in inboxes { inbox.add(element) }
  }

  /// Ends the sequence of each listener, after the listener has received the events that are kept
  /// for it.
  func end() {
    let inboxes = state.withLock { state in
      state.isOver = true
      return Array(state.inboxes.values)
    }
    for inbox in inboxes { inbox.close() }
  }

  fileprivate func add() -> (number: Int, inbox: Inbox<Element>) {
    let inbox = Inbox<Element>(capacity, dropping)
    let (isOver, number) = state.withLock { state in
      state.next += 1
      state.inboxes[state.next] = inbox
      return (state.isOver, state.next)
    }
    if isOver { inbox.close() }
    reportAudience()
    return (number, inbox)
  }

  fileprivate func remove(_ number: Int) {
    state.withLock { $0.inboxes[number] = nil }
    reportAudience()
  }

  /// Calls `audienceChanged`, without the lock, until its last argument matches the current state.
  /// Only one thread at a time makes the calls. If another thread is making them, that thread
  /// reports the change of this thread.
  private func reportAudience() {
    while let call = state.withLock({ $0.takeReport() }) {
      call()
      state.withLock { $0.isReporting = false }
    }
  }
}

/// The subscription of one listener. It ends when this object is released.
final class Subscription<Element: Sendable>: Sendable {
  private let inbox: Inbox<Element>
  private let source: Broadcast<Element>
  private let number: Int

  init(to source: Broadcast<Element>) {
    self.source = source
    (number, inbox) = source.add()
  }

  deinit { source.remove(number) }

  /// Returns the next event, or nil after the end and in a cancelled task.
  func next() async -> Element? { await inbox.next() }
}

/// The events that one listener has not received yet.
private final class Inbox<Element: Sendable>: Sendable {
  private struct State {
    var held: [Element] = []
    var waiting: CheckedContinuation<Element?, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let dropping: (@Sendable (Element, Element) -> Element)?

  init(_ capacity: Int, _ dropping: (@Sendable (Element, Element) -> Element)?) {
    self.capacity = max(1, capacity)
    self.dropping = dropping
  }

  func add(_ element: Element) {
    let waiting = state.withLock { state -> CheckedContinuation<Element?, Never>? in
      guard !state.isClosed else { return nil }
      if let waiting = state.waiting.take() { return waiting }
      state.held.append(element)
      guard state.held.count > capacity else { return nil }
      let missed = state.held.removeFirst()
      if let dropping { state.held[0] = dropping(missed, state.held[0]) }
      return nil
    }
    waiting?.resume(returning: element)
  }

  /// Ends the sequence after the held events, or before them if `isCancelled` is true.
  func close(isCancelled: Bool = false) {
    let waiting = state.withLock { state in
      state.isClosed = true
      if isCancelled { state.held = [] }
      return state.waiting.take()
    }
    waiting?.resume(returning: nil)
  }

  func next() async -> Element? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state -> Element?? in
          if !state.held.isEmpty { return .some(state.held.removeFirst()) }
          if state.isClosed { return .some(nil) }
          state.waiting = continuation
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      close(isCancelled: true)
    }
  }
}
