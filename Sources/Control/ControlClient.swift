internal import Audio
package import JSON
internal import Linux

/// A connection to a session, to the player or to the guard. Each call waits for its answer.
package struct ControlClient: ~Copyable {
  /// The first line from the server, with its role, process number and protocol.
  package let hello: Hello
  /// Whether the server runs in the same process namespace as this process. If so, the kernel and
  /// the server report the same process number. Otherwise the server runs in another container.
  package let sharesProcesses: Bool

  /// Other descriptors to serve during the wait for an answer.
  package struct Watch {
    let numbers: () -> [Int32]
    let serve: () -> Bool

    /// Creates a watch that calls `serve` whenever one of the descriptors can be read. `serve` must
    /// read the pending data.
    ///
    /// - Parameters:
    ///   - numbers: returns the descriptors. It is called before each wait.
    ///   - serve: returns false to stop waiting for the answer, for example after a time limit.
    package init(_ numbers: @escaping () -> [Int32], _ serve: @escaping () -> Bool) {
      self.numbers = numbers
      self.serve = serve
    }
  }

  private let socket: UnixSocket
  private var inbox: Wire.Inbox
  private var scratch: [UInt8]
  private var asked: Int64 = 0
  private var events: [JSONObject] = []

  /// Connects to `path`, and waits for the server's `Hello`. Throws `foreign` if the server belongs
  /// to another user.
  package init(
    connectingTo path: String, waitingUpTo limit: Duration = .seconds(5),
    owner: UInt32 = Environment.effectiveUser
  ) throws(ControlError) {
    let socket = try Self.connect(to: path, waitingUpTo: limit, owner: owner)
    try self.init(over: socket, waitingUpTo: limit)
  }

  /// Connects to the process that listens at `path`. Returns nil if there is no such process.
  package static func ifListening(
    at path: String, waitingUpTo limit: Duration = .seconds(5)
  ) throws(ControlError) -> ControlClient? {
    do throws(ControlError) {
      return try ControlClient(connectingTo: path, waitingUpTo: limit)
    } catch {
      switch error {
      // A process that is about to end closes new connections, so it does not count as listening.
      case .notRunning, .closed: return nil
      default: throw error
      }
    }
  }

  /// Takes over a connection and waits for the server's `Hello`.
  init(over socket: consuming UnixSocket, waitingUpTo limit: Duration) throws(ControlError) {
    var inbox = Wire.Inbox(longest: Wire.longestReply)
    var scratch = [UInt8](repeating: 0, count: Wire.longestLine)
    let deadline = KernelClock.monotonic.now + limit
    let first = try Self.receive(from: socket, &inbox, &scratch, until: deadline)
    guard let hello = Hello(json: first) else { throw .malformed }
    self.hello = hello
    self.sharesProcesses = (try? socket.peer().process) == hello.process
    self.socket = socket
    self.inbox = inbox
    self.scratch = scratch
  }

  /// The number of the socket's descriptor, to poll it together with others.
  package var number: Int32 { socket.descriptor.number }

  /// Sends a request and returns its result, or throws the refusal. If `limit` is nil, waits for
  /// the answer without a time limit. Throws `tooLong` if the request is longer than the server
  /// accepts.
  ///
  /// - Parameter watch: other descriptors to serve until the answer comes.
  package mutating func ask(
    _ verb: String, _ arguments: JSONObject = [:], waitingUpTo limit: Duration? = .seconds(5),
    serving watch: Watch? = nil
  ) throws(ControlError) -> JSONObject {
    asked += 1
    let deadline = limit.map { KernelClock.monotonic.now + $0 }
    let line = Wire.line(Request(verb, arguments, number: asked).json)
    guard line.count <= Wire.longestLine else { throw .tooLong(bytes: line.count) }
    do throws(ControlError) {
      try Self.meaning(socket.sendAll(line.span, waitingUpTo: limit ?? .seconds(5)))
    } catch .closed {
      // The server may have sent a reason before it closed the connection. The loop below reads it.
    }
    while true {
      let json = try receive(until: deadline, serving: watch)
      if let event = json["event"]?.object {
        events.append(event)
      } else if let (number, reply) = Reply.read(json), number == asked || number == 0 {
        switch reply {
        case .done(let result): return result
        case .refused(let refusal): throw number == 0 ? .busy : .refused(refusal)
        }
      }
    }
  }

  /// Requests the frames of a session's take, and returns the stream of packets that follows the
  /// reply.
  ///
  /// - Parameters:
  ///   - track: the name of the only track to send, or nil for all tracks.
  ///   - client: the name of the client that reads, or nil if it has no name.
  ///   - reader: the identifier of this reading, or nil if the session creates it. If the user has
  ///     allowed only this reading, the stored permission has this identifier.
  package consuming func tap(
    track: String?, client: String?, reader: String? = nil,
    waitingUpTo limit: Duration? = .seconds(5)
  ) throws(ControlError) -> TapStream {
    var arguments: JSONObject = [:]
    arguments.set("track", track)
    arguments.set("client", client)
    arguments.set("reader", reader)
    let answer = try ask(SessionVerb.tap.rawValue, arguments, waitingUpTo: limit)
    guard let format = answer["tap"].flatMap(StreamFormat.init(json:)),
      let first = answer["position"].flatMap(FrameCount.init(json:))
    else { throw .malformed }
    let tracks = RecordingStatus(json: .object(answer))?.facts.tracks ?? []
    return TapStream(
      socket, received: inbox.remainder, format, from: first,
      hasSeveralTracks: track == nil && tracks.areSideBySide)
  }

  /// Returns the next event. Waits for it up to `limit`, or without a time limit if `limit` is nil.
  package mutating func nextEvent(
    waitingUpTo limit: Duration? = nil
  ) throws(ControlError) -> JSONObject {
    if !events.isEmpty { return events.removeFirst() }
    let deadline = limit.map { KernelClock.monotonic.now + $0 }
    while true {
      if let event = try receive(until: deadline)["event"]?.object { return event }
    }
  }

  private mutating func receive(
    until deadline: Duration?, serving watch: Watch? = nil
  ) throws(ControlError) -> JSONValue {
    try Self.receive(from: socket, &inbox, &scratch, until: deadline, serving: watch)
  }

  private static func connect(
    to path: String, waitingUpTo limit: Duration, owner: UInt32
  ) throws(ControlError) -> UnixSocket {
    let socket = try meaning(UnixSocket(connectingTo: path, waitingUpTo: limit), at: path)
    let peer = try meaning(socket.peer())
    guard peer.user == owner else { throw .foreign(path: path, user: peer.user) }
    return socket
  }

  private static func receive(
    from socket: borrowing UnixSocket, _ inbox: inout Wire.Inbox, _ scratch: inout [UInt8],
    until deadline: Duration?, serving watch: Watch? = nil
  ) throws(ControlError) -> JSONValue {
    while true {
      if let line = try inbox.next() {
        let limits = JSONLimits(bytes: Wire.longestReply)
        guard let json = try? JSONValue(decoding: line.span, limits: limits) else {
          throw .malformed
        }
        return json
      }
      try fill(&inbox, from: socket, &scratch, until: deadline, serving: watch)
    }
  }

  private static func fill(
    _ inbox: inout Wire.Inbox, from socket: borrowing UnixSocket, _ scratch: inout [UInt8],
    until deadline: Duration?, serving watch: Watch?
  ) throws(ControlError) {
    try wait(for: socket, until: deadline, serving: watch)
    let count = try meaning(socket.receive(into: &scratch))
    guard let count else { return }
    if count == 0 { throw .closed }
    inbox.append(scratch[..<count])
  }

  /// Waits until the server has sent data.
  private static func wait(
    for socket: borrowing UnixSocket, until deadline: Duration?, serving watch: Watch?
  ) throws(ControlError) {
    var poll = Poll(capacity: 4)
    while true {
      poll.removeAll()
      let answer = poll.add(socket.descriptor.number)
      for number in watch?.numbers() ?? [] { poll.add(number) }
      let left = deadline.map { $0 - KernelClock.monotonic.now }
      let count = try meaning(poll.wait(upTo: left))
      guard count > 0 else { throw .timedOut }
      let isServed = (answer + 1..<poll.count).contains { !poll[$0].isEmpty }
      if isServed, watch?.serve() == false { throw .timedOut }
      if !poll[answer].isEmpty { return }
    }
  }

  /// Runs a system call on a connection, and throws its error as a `ControlError`.
  ///
  /// - Parameter path: the path of the socket, only for a call that connects.
  private static func meaning<Result: ~Copyable>(
    _ call: @autoclosure () throws(SystemError) -> Result, at path: String = ""
  ) throws(ControlError) -> Result {
    try mapError({ meaning(of: $0, path) }, call())
  }

  private static func meaning(of error: SystemError, _ path: String) -> ControlError {
    switch error.errno {
    case .noSuchFile, .connectionRefused: .notRunning(path: path)
    case .brokenPipe, .connectionReset: .closed
    case .timedOut, .wouldBlock: .timedOut
    default: .system(error)
    }
  }
}
