internal import JSON
internal import Linux

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
