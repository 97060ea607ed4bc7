package import Audio
internal import CPipeWire
internal import Glibc
package import Linux
internal import Synchronization

/// The reason why PipeWire cannot be used.
package enum ConnectionFailure: Error, Hashable, Sendable {
  /// libpipewire or its configuration is not installed.
  case noLibrary
  /// libpipewire lacks functions that are needed.
  case oldLibrary
  /// No server can be reached.
  case noServer
  /// A server exists but does not answer, for example because it is suspended.
  case noAnswer(Duration)
  /// The server ended the connection.
  case ended
  /// The server refused to link a device, with the message of the server.
  case unlinked(String)
  /// The device of this source did not start in time.
  case inactive(source: Int, Duration)
  /// The graph changed its rate, which an open stream cannot follow.
  case rateChanged
  /// The system refused a resource.
  case refused(SystemError)
}

extension ConnectionFailure: StreamFailure {
  /// Every failure of an open stream counts as a lost device.
  package var condition: StreamCondition { .disconnected }
}

extension ConnectionFailure {
  static func event() throws(ConnectionFailure) -> Event {
    try mapError(ConnectionFailure.refused) { () throws(SystemError) in try Event() }
  }
}

extension ConnectionFailure: CustomStringConvertible {
  /// The reason as a message.
  package var description: String {
    switch self {
    case .noLibrary: "PipeWire's library is not installed"
    case .oldLibrary: "PipeWire's library is too old; version 0.3.65 or later is needed"
    case .noServer: "PipeWire is not running"
    case .noAnswer(let limit): "PipeWire did not answer within \(limit.components.seconds) s"
    case .ended: "PipeWire ended the connection"
    case .unlinked(let message): "PipeWire refused to connect the device: \(message)"
    case .inactive(_, let limit): "the device did not start within \(limit.components.seconds) s"
    case .rateChanged:
      "PipeWire changed its sample rate, and a running recording cannot follow; start a new recording"
    case .refused(let error): "\(error)"
    }
  }
}

/// A connection to a PipeWire server, with the thread that handles its events.
///
/// SAFETY: the pointers never change. Every object of the connection is used either by that thread
/// or while the loop is locked, so only by one thread at a time.
@safe package final class Connection: @unchecked Sendable {
  let news: News
  private let loop: UnsafeMutableRawPointer
  private let context: UnsafeMutableRawPointer
  /// The server's main object.
  let core: UnsafeMutableRawPointer
  private let listener: Listener<pipewire_core_events>
  let alarm: Alarm

  /// The events and the state that the thread of the connection reports. Callbacks get this object,
  /// because the connection itself must not be released on that thread.
  final class News: Sendable {
    /// Signalled after each event that a caller may wait for.
    let changed: Event
    fileprivate let state = Mutex(State())

    fileprivate init(_ changed: consuming Event) { self.changed = changed }

    fileprivate func change(_ body: (inout State) -> Void) {
      state.withLock { body(&$0) }
      changed.signal()
    }

    /// The random number that identifies the running server, or nil before its first answer.
    var server: UInt32? { state.withLock { $0.server } }
  }

  fileprivate struct State {
    var lastReply: Int32?
    var server: UInt32?
    var failure: ConnectionFailure?
  }

  /// The time limit for an answer. Even a busy server answers faster.
  static let patience = Duration.seconds(5)

  /// Connects to a server, and waits for its first answer.
  ///
  /// - Parameters:
  ///   - server: the name or the socket of the server, or nil for the default server.
  ///   - needsRealTime: whether threads of the connection process audio. If so, these threads get
  ///     their real-time priority from a service on the desktop's bus, and the library waits for
  ///     this bus without a time limit.
  package static func open(
    _ server: String? = nil, needsRealTime: Bool = false
  ) throws(ConnectionFailure) -> Connection {
    if let failure = Library.failure { throw failure }
    let event = try ConnectionFailure.event()
    let connection = try Connection(to: server, event, needsRealTime: needsRealTime)
    try connection.roundTrip()
    return connection
  }

  private init(
    to server: String?, _ changed: consuming Event, needsRealTime: Bool
  ) throws(ConnectionFailure) {
    guard let loop = unsafe pipeWire.thread_loop_new("pipewire", nil) else { throw .noLibrary }
    // The first property selects whether threads get real-time priority. In newer versions of the
    // library, the second property selects this.
    let settings = unsafe properties([
      ("config.name", needsRealTime ? "client-rt.conf" : "client.conf"),
      ("module.rt", "\(needsRealTime)"), ("application.name", "recorder"),
    ])
    guard let inner = unsafe pipeWire.thread_loop_get_loop(loop),
      let context = unsafe pipeWire.context_new(inner, settings, 0)
    else {
      unsafe pipeWire.thread_loop_destroy(loop)
      throw .noLibrary
    }
    // Some servers restrict their clients. Through the socket for managers, this program can link
    // its captures even if the server restricts other clients.
    let remote = unsafe properties(
      server.map { [("remote.name", $0)] } ?? [("remote.intention", "manager")])
    guard let core = unsafe pipeWire.context_connect(context, remote, 0) else {
      unsafe pipeWire.context_destroy(context)
      unsafe pipeWire.thread_loop_destroy(loop)
      throw .noServer
    }
    news = News(changed)
    alarm = unsafe Alarm(of: inner)
    unsafe (self.loop, self.context, self.core) = (loop, context, core)
    listener = Listener(Self.events)
    unsafe listener.listen(to: core, for: news)
    _ = unsafe pipeWire.thread_loop_start(loop)
  }

  deinit {
    unsafe pipeWire.thread_loop_stop(loop)
    _ = unsafe pipeWire.core_disconnect(core)
    unsafe pipeWire.context_destroy(context)
    unsafe pipeWire.thread_loop_destroy(loop)
  }

  private static var events: pipewire_core_events {
    var events = pipewire_core_events()
    unsafe events.info = { data, info in
      guard let news = unsafe object(News.self, data), let info = unsafe info else { return }
      let server = unsafe info.pointee.cookie
      news.change { $0.server = server }
    }
    unsafe events.done = { data, id, sequence in
      guard id == 0, let news = unsafe object(News.self, data) else { return }
      news.change { $0.lastReply = sequence }
    }
    unsafe events.error = { data, id, _, result, _ in
      // All other errors are replies to single requests, such as the second removal of a link.
      guard id == 0, ![-ENOENT, -EINVAL].contains(result),
        let news = unsafe object(News.self, data)
      else { return }
      news.change { $0.failure = .ended }
    }
    return events
  }

  /// The reason why the connection ended, or nil while it exists.
  var failure: ConnectionFailure? { news.state.withLock { $0.failure } }

  /// Calls `body` while the thread of the connection handles no event.
  func locked<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Prevents the thread of the connection from handling events until `unlock`.
  func lock() { unsafe pipeWire.thread_loop_lock(loop) }

  /// Ends the effect of `lock`.
  func unlock() { unsafe pipeWire.thread_loop_unlock(loop) }

  /// Waits until the server has handled all earlier requests.
  package func roundTrip() throws(ConnectionFailure) {
    let sequence = locked { unsafe pipewire_sync(core, 0) }
    try wait { news.state.withLock { $0.lastReply == sequence } ? () : nil }
  }

  /// Waits until `body` returns a value. Calls `body` again after each change.
  func wait<Value>(until body: () -> Value?) throws(ConnectionFailure) -> Value {
    guard let value = try wait(upTo: Self.patience, until: body) else {
      throw .noAnswer(Self.patience)
    }
    return value
  }

  /// Waits until `body` returns a value. Returns nil after `limit`.
  func wait<Value>(
    upTo limit: Duration, until body: () -> Value?
  ) throws(ConnectionFailure) -> Value? {
    let deadline = KernelClock.monotonic.now + limit
    while true {
      news.changed.clear()
      if let failure { throw failure }
      if let value = body() { return value }
      let left = deadline - KernelClock.monotonic.now
      guard left > .zero, (try? news.changed.descriptor.wait(upTo: left)) == true else {
        return nil
      }
    }
  }
}

/// Returns the object that was registered for a callback.
@unsafe func object<Object: AnyObject>(
  _ type: Object.Type, _ data: UnsafeMutableRawPointer?
) -> Object? {
  unsafe data.map { unsafe Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
}
