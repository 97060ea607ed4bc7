internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread of the operating system. It is joined at most once, and detached if it is not joined.
package struct Thread: ~Copyable, Sendable {
  /// The scheduling of a thread.
  package enum Priority: Hashable, Sendable {
    case ordinary
    /// SCHED_FIFO at a level of 1 to 99. It takes precedence over all ordinary threads.
    case realTime(Int32)
  }

  private let identifier: pthread_t

  /// Starts a thread. The thread is ordinary if this process may not use `priority`.
  ///
  /// A closure in a type that is isolated to the main actor is also isolated to the main actor, and
  /// traps on the new thread. So write `body` in a type without isolation.
  ///
  /// - Parameters:
  ///   - name: the name that debuggers show. The kernel keeps its first 15 bytes.
  ///   - startsApart: whether an ordinary thread begins on another processor than this thread, if
  ///     possible. Without this, the kernel may choose the same processor, because the new thread
  ///     is not busy yet.
  package init(
    _ name: String, priority: Priority = .ordinary, startsApart: Bool = false,
    body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    if startsApart, priority == .ordinary, let identifier = Self.startApart(name, body) {
      self.identifier = identifier
      return
    }
    let start = Start(name: name, body: body)
    do {
      identifier = try Self.create(start, priority)
    } catch let error where error.errno == .notPermitted && priority != .ordinary {
      identifier = try Self.create(start, .ordinary)
    }
  }

  deinit { pthread_detach(identifier) }

  /// Waits until the body has returned.
  package consuming func join() {
    _ = pthread_join(identifier, nil)
    discard self
  }

  /// Starts an ordinary thread on another processor, or returns nil if that is not possible.
  ///
  /// The restriction to other processors ends after the start. The creator removes it, so that the
  /// new thread never waits for a busy processor. The new thread removes it too, because the
  /// threads that it starts inherit the restriction.
  private static func startApart(
    _ name: String, _ body: @escaping @Sendable () -> Void
  ) -> pthread_t? {
    guard let allowed = Processors.allowed, let others = allowed.others else { return nil }
    let start = Start(name: name) {
      allowed.admit()
      body()
    }
    guard let thread = try? create(start, .ordinary, on: others) else { return nil }
    allowed.admit(thread)
    return thread
  }

  private static func create(
    _ start: Start, _ priority: Priority, on processors: Processors? = nil
  ) throws(SystemError) -> pthread_t {
    var attributes = pthread_attr_t()
    try requireZero("pthread_attr_init", unsafe pthread_attr_init(&attributes))
    defer { unsafe pthread_attr_destroy(&attributes) }
    // By default, a thread inherits the scheduling of its creator.
    if priority != .ordinary || Scheduling.current.isRealTime {
      unsafe pthread_attr_setinheritsched(&attributes, CInt(PTHREAD_EXPLICIT_SCHED))
    }
    if case .realTime(let level) = priority {
      var parameter = sched_param(sched_priority: level)
      unsafe pthread_attr_setschedpolicy(&attributes, SCHED_FIFO)
      let code = unsafe pthread_attr_setschedparam(&attributes, &parameter)
      try requireZero("pthread_attr_setschedparam", on: "\(level)", code)
    }
    processors?.restrict(&attributes)
    var identifier = pthread_t()
    let context = unsafe Unmanaged.passRetained(start)
    let code = unsafe pthread_create(&identifier, &attributes, runThread, context.toOpaque())
    if code != 0 { unsafe context.release() }
    try requireZero("pthread_create", on: start.name, code)
    return identifier
  }
}

/// The scheduling of a running thread.
private struct Scheduling {
  private var policy: CInt = SCHED_OTHER
  private var parameter = sched_param()

  /// The scheduling of the calling thread.
  static var current: Scheduling {
    var current = Scheduling()
    unsafe pthread_getschedparam(pthread_self(), &current.policy, &current.parameter)
    return current
  }

  var isRealTime: Bool { policy == SCHED_FIFO || policy == SCHED_RR }

  /// Changes the calling thread.
  mutating func apply() { unsafe pthread_setschedparam(pthread_self(), policy, &parameter) }
}

/// The arguments of a new thread. The creator passes its only reference to the thread.
private final class Start: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else { return nil }
  let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
  let name = String(decoding: start.name.utf8.prefix(15), as: UTF8.self)
  _ = unsafe pthread_setname_np(pthread_self(), name)
  start.body()
  return nil
}

/// Passes one noncopyable value to another thread. The closure of the thread cannot consume such a
/// value directly.
package final class Handoff<Value: ~Copyable & Sendable>: Sendable {
  private let value: Mutex<Value?>

  /// Stores `value` until it is taken.
  package init(_ value: consuming sending Value) { self.value = Mutex(value) }

  /// Returns the value on the first call, and nil after that.
  package func take() -> Value? { value.withLock { $0.take() } }
}

extension Thread {
  /// Runs a function with ordinary scheduling. New threads and processes inherit the scheduling,
  /// even if a library starts them.
  package static func asOrdinary<Result>(_ body: () -> Result) -> Result {
    var former = Scheduling.current
    guard former.isRealTime else { return body() }
    var ordinary = Scheduling()
    ordinary.apply()
    defer { former.apply() }
    return body()
  }

  /// Runs two functions at the same time, the second on a new thread. If no thread can be started,
  /// runs them one after the other.
  package static func both<First, Second: Sendable>(
    _ first: () -> First, _ second: @escaping @Sendable () -> Second
  ) -> (First, Second) {
    let answer = Mutex<Second?>(nil)
    guard let thread = try? Thread("second", body: { answer.withLock { $0 = second() } })
    else { return (first(), second()) }
    let former = first()
    thread.join()
    return (former, answer.withLock(\.self) ?? second())
  }
}
