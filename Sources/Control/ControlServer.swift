package import JSON
package import Linux

/// The client that waits for a reply, and the number of its request.
package struct Ticket: Hashable, Sendable {
  let connection: Int
  let request: Int64
  /// The process of the client, or nil if it is unknown.
  package var process: Int32?
}

/// The immediate answer of a server to a request.
package enum Answer: Sendable {
  case reply(Reply)
  /// The reply is sent later by `ControlServer.answer`.
  case later
  /// The reply is sent now, and every later event is sent when it occurs.
  case watch(Reply)
  /// The reply is sent now. Then the closure takes over the connection, and the bytes that could
  /// not be sent yet.
  case handOver(Reply, @Sendable (consuming UnixSocket, _ unsent: [UInt8]) -> Void)
}

/// A server for the clients of one Unix socket. One thread polls the descriptors, and then calls
/// `serve`.
///
/// The kernel reports the user of each connection. The connection of another user is closed before
/// any byte is read from it.
package struct ControlServer: ~Copyable {
  /// The largest number of clients at a time. A further client replaces an idle client. If there is
  /// no idle client, the further client is refused and disconnected.
  private let mostConnections: Int

  /// The largest number of bytes that one call of `serve` reads from a client.
  private static let mostReceived = 4_096

  private var listener: UnixListener
  private let hello: [UInt8]
  private let owner: UInt32
  private var connections: [Connection] = []
  private var accepted = 0
  private var scratch = [UInt8](repeating: 0, count: Self.mostReceived)
  private var firstPollIndex = 0
  private var turnedAway: [PeerCredentials] = []

  /// Creates a server that listens at `path`. No file may exist at this path.
  package init(
    at path: String, hello: Hello, mostConnections: Int = 64,
    owner: UInt32 = Environment.effectiveUser
  ) throws(SystemError) {
    self.mostConnections = mostConnections
    self.hello = Wire.line(hello.json)
    self.owner = owner
    listener = try UnixListener(at: path)
  }

  /// Listens at another path. No file may exist at this path. Connected clients stay connected.
  package mutating func listen(at path: String) throws(SystemError) {
    listener = try UnixListener(at: path)
  }

  /// The number of connected clients.
  package var connectionCount: Int { connections.count }

  /// The time on the monotonic clock at which `serve` must be called even if no descriptor is
  /// ready, or nil if there is no such time.
  package var deadline: Duration? { connections.compactMap(\.deadline).min() }

  /// Adds the server's descriptors to `poll`. `serve` reads their state after the next wait.
  package mutating func enlist(in poll: inout Poll) {
    firstPollIndex = poll.add(listener.descriptor.number)
    for connection in connections { poll.add(connection.number, for: connection.interest) }
  }

  /// Accepts clients, serves all ready connections, and passes every request to `handle`.
  package mutating func serve(
    _ poll: borrowing Poll, _ handle: (Ticket, Request) -> Answer
  ) throws(SystemError) {
    for (index, connection) in connections.enumerated() {
      let found = poll[firstPollIndex + 1 + index]
      if found.contains(.writable) { connection.flush() }
      if !found.isDisjoint(with: [.readable, .hungUp, .failed]) { read(connection, handle) }
      connection.expire(at: KernelClock.monotonic.now)
    }
    // Closed connections still use descriptors, so they are removed before new clients are
    // accepted.
    connections.removeAll { !$0.isOpen }
    if poll[firstPollIndex].contains(.readable) { try accept() }
  }

  /// Waits for the clients and for the other descriptors in `poll`, and serves the clients.
  ///
  /// A failed system call is ignored, because the caller's work has to continue. After a failed
  /// call, this function sleeps for a moment to avoid a busy loop.
  package mutating func serve(
    beside poll: inout Poll, upTo limit: Duration?, _ handle: (Ticket, Request) -> Answer
  ) {
    enlist(in: &poll)
    do throws(SystemError) {
      try poll.wait(upTo: limit)
      try serve(poll, handle)
    } catch {
      KernelClock.sleep(.milliseconds(10))
    }
  }

  /// Sends the reply to a request that was answered with `later`. Drops the reply if the client has
  /// disconnected.
  package func answer(_ ticket: Ticket, _ reply: Reply) {
    let connection = connections.first { $0.identifier == ticket.connection }
    connection?.promised -= 1
    connection?.send(Wire.line(reply, answering: ticket.request))
  }

  /// Returns whether the client that waits for this reply is still connected.
  package func isConnected(_ ticket: Ticket) -> Bool {
    connections.contains { $0.identifier == ticket.connection && $0.isOpen }
  }

  /// Sends an event to every watching client.
  package func publish(_ event: JSONObject) {
    let watching = connections.filter(\.isWatching)
    if watching.isEmpty { return }
    let line = Wire.line(["event": .object(event)])
    for connection in watching { connection.send(line) }
  }

  /// Whether any client receives events. If not, events need not be published.
  package var isWatched: Bool { connections.contains(where: \.isWatching) }

  /// Whether unsent bytes wait for a connected client.
  package var hasUnsent: Bool { connections.contains { $0.interest.contains(.writable) } }

  /// Returns the processes of other users that tried to connect since the last call, at most 16.
  package mutating func takeTurnedAway() -> [PeerCredentials] {
    defer { turnedAway = [] }
    return turnedAway
  }

  private mutating func accept() throws(SystemError) {
    for _ in 0..<mostConnections {
      guard let socket = try listener.accept() else { return }
      guard let peer = try? socket.peer(), peer.user == owner else {
        if let peer = try? socket.peer(), turnedAway.count < 16 { turnedAway.append(peer) }
        continue
      }
      accepted += 1
      let connection = Connection(socket, identifier: accepted)
      connection.send(hello)
      makeRoom()
      if connections.count < mostConnections {
        connections.append(connection)
      } else {
        let busy = Refusal(exit: 1, "too many programs are connected", advice: "try again")
        connection.send(Wire.line(Reply.refused(busy).json(answering: 0)))
      }
    }
  }

  /// If the number of clients is at its limit, removes the client that has been idle for longest.
  private mutating func makeRoom() {
    guard connections.count >= mostConnections else { return }
    let now = KernelClock.monotonic.now
    let idle = connections.indices.filter { connections[$0].isIdle(at: now) }
    if let longest = idle.min(by: { connections[$0].heard < connections[$1].heard }) {
      connections.remove(at: longest)
    }
  }

  private mutating func read(_ connection: Connection, _ handle: (Ticket, Request) -> Answer) {
    connection.receive(using: &scratch) { json in
      guard let request = Request(json: json) else { return connection.close() }
      let ticket = Ticket(
        connection: connection.identifier, request: request.number, process: connection.process)
      switch handle(ticket, request) {
      case .later: connection.promised += 1
      case .reply(let reply): connection.send(Wire.line(reply, answering: request.number))
      case .watch(let reply):
        connection.isWatching = true
        connection.send(Wire.line(reply, answering: request.number))
      case .handOver(let reply, let take):
        connection.send(Wire.line(reply, answering: request.number))
        connection.handOver(to: take)
      }
    }
  }
}

/// One client of a server, with the received bytes of an incomplete request and the unsent bytes.
final class Connection {
  /// The largest number of unsent bytes of a client. If a client has more, the next line is not
  /// sent, and the connection is closed.
  static let mostWaiting = 262_144
  /// The time limit for a client to complete a line.
  static let patienceForLine = Duration.seconds(2)
  /// The time limit for a client to read some of its unsent bytes.
  static let patienceForReader = Duration.seconds(5)

  /// The time for a client to send its first request. A client that has sent no request in this
  /// time may be replaced by another client.
  static let patienceForFirst = Duration.milliseconds(200)

  let identifier: Int
  /// Whether the client receives every event.
  var isWatching = false
  private(set) var isOpen = true
  /// The number of requests that were answered with `later`, and whose replies were not sent yet.
  var promised = 0
  /// The time at which the client connected or last sent data.
  private(set) var heard = KernelClock.monotonic.now
  private var hasAsked = false
  private let socket: UnixSocket
  private var inbox = Wire.Inbox(longest: Wire.longestLine)
  private var outbox: [UInt8] = []
  private var lineBegan: Duration?
  private var stalledSince: Duration?

  init(_ socket: consuming UnixSocket, identifier: Int) {
    self.socket = socket
    self.identifier = identifier
  }

  var number: CInt { socket.descriptor.number }
  var interest: Poll.Readiness { outbox.isEmpty ? .readable : [.readable, .writable] }

  /// The time at which the connection is closed if the client makes no progress, or nil if no time
  /// limit applies.
  var deadline: Duration? {
    let ends = [
      lineBegan.map { $0 + Self.patienceForLine },
      stalledSince.map { $0 + Self.patienceForReader },
    ]
    return ends.compactMap(\.self).min()
  }

  func close() { isOpen = false }

  /// The process that opened the connection, or nil if the client is in another process namespace.
  var process: Int32? { (try? socket.peer().process).flatMap { $0 > 0 ? $0 : nil } }

  /// Closes this connection, and passes a copy of its socket to `take`, together with the unsent
  /// bytes. The copy stays connected.
  func handOver(to take: (consuming UnixSocket, [UInt8]) -> Void) {
    defer { close() }
    guard isOpen, let copy = try? socket.descriptor.duplicate() else { return }
    take(UnixSocket(owning: copy), outbox)
  }

  /// Returns whether another client may replace this client, because this client expects no reply
  /// and no event, and has sent nothing for a while.
  func isIdle(at now: Duration) -> Bool {
    guard !isWatching, promised == 0 else { return false }
    return now - heard > (hasAsked ? Self.patienceForLine : Self.patienceForFirst)
  }

  /// Closes the connection if its deadline has passed.
  func expire(at now: Duration) { if let deadline, deadline <= now { close() } }

  /// Sends a line, and queues the bytes that the kernel does not accept. Closes the connection
  /// instead if more than `mostWaiting` bytes of earlier lines are queued. If the client reads
  /// nothing for too long, `expire` closes the connection.
  func send(_ line: [UInt8]) {
    guard isOpen else { return }
    if outbox.count > Self.mostWaiting { return close() }
    outbox += line
    flush()
  }

  func flush() {
    do {
      while !outbox.isEmpty, let count = try socket.send(outbox.span) {
        outbox.removeFirst(count)
        stalledSince = nil
      }
      if !outbox.isEmpty && stalledSince == nil { stalledSince = KernelClock.monotonic.now }
    } catch {
      close()
    }
  }

  /// Reads at most as many bytes as fit into `scratch`, and passes every complete line to `take`.
  ///
  /// Further bytes stay in the kernel until the next call, so a busy client does not delay the
  /// other clients.
  func receive(using scratch: inout [UInt8], _ take: (JSONValue) -> Void) {
    do {
      guard let count = try socket.receive(into: &scratch) else { return }
      if count == 0 { return close() }
      heard = KernelClock.monotonic.now
      hasAsked = true
      inbox.append(scratch[..<count])
      while isOpen, let line = try inbox.next() {
        take(try JSONValue(decoding: line.span, limits: JSONLimits(bytes: Wire.longestLine)))
      }
      lineBegan = inbox.isPartial ? lineBegan ?? heard : nil
    } catch {
      close()
    }
  }
}
