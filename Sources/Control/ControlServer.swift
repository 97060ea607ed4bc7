package import JSON
package import Linux

/// The client and the request that a reply belongs to.
package struct Ticket: Hashable, Sendable {
  let connection: Int
  let request: Int64
}

/// The immediate answer of a server to a request.
package enum Answer: Sendable {
  case reply(Reply)
  /// The reply comes by `ControlServer.answer`.
  case later
  /// The reply, and every event from now on.
  case watch(Reply)
}

/// Serves the clients of one Unix socket from one thread, which polls and then calls `serve`.
///
/// The kernel names the user of each connection; other users are turned away before a byte is read.
package struct ControlServer: ~Copyable {
  /// Clients served at a time; a further one has the place of an idle one, or is refused and
  /// closed.
  private let mostConnections: Int

  /// Bytes taken from a client in one round.
  private static let mostReceived = 4_096

  private var listener: UnixListener
  private let hello: [UInt8]
  private let owner: UInt32
  private var connections: [Connection] = []
  private var accepted = 0
  private var scratch = [UInt8](repeating: 0, count: Self.mostReceived)
  private var firstPlace = 0
  private var turnedAway: [PeerCredentials] = []

  /// Serves at a path at which no file exists yet.
  package init(
    at path: String, hello: Hello, mostConnections: Int = 64,
    owner: UInt32 = Environment.effectiveUser
  ) throws(SystemError) {
    self.mostConnections = mostConnections
    self.hello = Wire.line(hello.json)
    self.owner = owner
    listener = try UnixListener(at: path)
  }

  /// Listens at another path, at which no file exists yet; connected clients stay connected.
  package mutating func listen(at path: String) throws(SystemError) {
    listener = try UnixListener(at: path)
  }

  /// The number of connected clients.
  package var connectionCount: Int { connections.count }

  /// The latest moment for the next `serve`, on the monotonic clock, even if nothing is ready; nil
  /// for none.
  package var deadline: Duration? { connections.compactMap(\.deadline).min() }

  /// Adds its descriptors to `poll`, which `serve` reads after the next wait.
  package mutating func enlist(in poll: inout Poll) {
    firstPlace = poll.add(listener.descriptor.number)
    for connection in connections { poll.add(connection.number, for: connection.interest) }
  }

  /// Accepts, reads and writes what is ready, and hands every request to `handle`.
  package mutating func serve(
    _ poll: borrowing Poll, _ handle: (Ticket, Request) -> Answer
  ) throws(SystemError) {
    for (index, connection) in connections.enumerated() {
      let found = poll[firstPlace + 1 + index]
      if found.contains(.writable) { connection.flush() }
      if !found.isDisjoint(with: [.readable, .hungUp, .failed]) { read(connection, handle) }
      connection.expire(at: KernelClock.monotonic.now)
    }
    // Before others are accepted: these may hold the last free descriptors.
    connections.removeAll { !$0.isOpen }
    if poll[firstPlace].contains(.readable) { try accept() }
  }

  /// Waits for clients and for what else `poll` watches, and serves the clients.
  ///
  /// Whatever the system refuses, the work of the caller has to continue: then it only sleeps for a
  /// moment, which avoids a busy loop.
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

  /// Sends the reply that `later` promised; one whose client has gone is dropped.
  package func answer(_ ticket: Ticket, _ reply: Reply) {
    let connection = connections.first { $0.identifier == ticket.connection }
    connection?.promised -= 1
    connection?.send(Wire.line(reply.json(answering: ticket.request)))
  }

  /// True while the client that a reply is promised to is connected.
  package func isConnected(_ ticket: Ticket) -> Bool {
    connections.contains { $0.identifier == ticket.connection && $0.isOpen }
  }

  /// Sends an event to every client that watches.
  package func publish(_ event: JSONObject) {
    let watching = connections.filter(\.isWatching)
    if watching.isEmpty { return }
    let line = Wire.line(["event": .object(event)])
    for connection in watching { connection.send(line) }
  }

  /// True while a client watches, so that an event is worth making.
  package var isWatched: Bool { connections.contains(where: \.isWatching) }

  /// True while bytes wait for a connected client.
  package var hasUnsent: Bool { connections.contains { $0.interest.contains(.writable) } }

  /// The other users who tried to connect since the last call.
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

  /// Removes the client that has been idle for longest, if all places are taken.
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
      let ticket = Ticket(connection: connection.identifier, request: request.number)
      switch handle(ticket, request) {
      case .later: connection.promised += 1
      case .reply(let reply): connection.send(Wire.line(reply.json(answering: request.number)))
      case .watch(let reply):
        connection.isWatching = true
        connection.send(Wire.line(reply.json(answering: request.number)))
      }
    }
  }
}

/// One client of a server, with the bytes received of a request and those not yet sent to it.
final class Connection {
  /// Bytes that a client may leave waiting.
  static let mostWaiting = 262_144
  /// The time that a client has to end a line that it began.
  static let patienceForLine = Duration.seconds(2)
  /// The time for which a client may read none of the bytes that wait for it.
  static let patienceForReader = Duration.seconds(5)

  /// The time for which a client that has asked nothing yet keeps its place from another.
  static let patienceForFirst = Duration.milliseconds(200)

  let identifier: Int
  /// True while it is sent every event.
  var isWatching = false
  private(set) var isOpen = true
  /// Replies that were promised for later.
  var promised = 0
  /// The moment at which it connected or last sent something.
  private(set) var heard = KernelClock.monotonic.now
  private var hasAsked = false
  private let socket: UnixSocket
  private var inbox = Wire.Inbox()
  private var outbox: [UInt8] = []
  private var lineBegan: Duration?
  private var stalledSince: Duration?

  init(_ socket: consuming UnixSocket, identifier: Int) {
    self.socket = socket
    self.identifier = identifier
  }

  var number: CInt { socket.descriptor.number }
  var interest: Poll.Readiness { outbox.isEmpty ? .readable : [.readable, .writable] }

  /// The moment at which it is closed if nothing moves until then; nil while nothing is due.
  var deadline: Duration? {
    let ends = [
      lineBegan.map { $0 + Self.patienceForLine },
      stalledSince.map { $0 + Self.patienceForReader },
    ]
    return ends.compactMap(\.self).min()
  }

  func close() { isOpen = false }

  /// True where nobody waits at the other end, so that another client may have its place.
  func isIdle(at now: Duration) -> Bool {
    guard !isWatching, promised == 0 else { return false }
    return now - heard > (hasAsked ? Self.patienceForLine : Self.patienceForFirst)
  }

  /// Closes it where its patience ended.
  func expire(at now: Duration) { if let deadline, deadline <= now { close() } }

  /// Sends a line, or keeps what the kernel does not take; a client that takes nothing for too long is closed.
  func send(_ line: [UInt8]) {
    guard isOpen else { return }
    outbox += line
    if outbox.count > Self.mostWaiting { return close() }
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

  /// Reads at most a `scratch` of bytes, and passes on every whole line.
  ///
  /// The rest stays in the kernel until the next round, so that a busy client delays no other.
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
