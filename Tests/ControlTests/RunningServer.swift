import Audio
import Control
import Foundation
import JSON
import Linux
import Synchronization

/// A server on a thread of its own. It answers `echo`, answers `repeat` with a long text, watches on
/// `watch` and leaves `later` unanswered.
final class RunningServer: Sendable {
  let path: String
  private let stopping: Event
  private let thread: Mutex<Pthread?>
  let turnedAway = Atomic<Int>(0)
  let connections = Atomic<Int>(0)
  let mostEvents: Int

  init(owner: UInt32 = Environment.effectiveUser, events: Int = 0) throws {
    path = NSTemporaryDirectory() + "control-\(UUID().uuidString.prefix(8)).sock"
    stopping = try Event()
    thread = Mutex(nil)
    mostEvents = events
    let listening = DispatchSemaphore(value: 0)
    let started = try Pthread { [unowned self] in
      let hello = Hello(role: .session, program: "0.0.0", process: getpid())
      let server = try? ControlServer(at: self.path, hello: hello, owner: owner)
      listening.signal()
      if let server { self.run(server) }
    }
    listening.wait()
    thread.withLock { $0 = started }
  }

  /// The format of the packets that the server sends after the reply to `tap`.
  static let tapped = StreamFormat(rate: .hz48000, channels: .mono, sample: .int16)
  static let packets: [TapPacket] = [
    .frames(Array(repeating: 10, count: TapPacket.largest), at: 7),
    .end(.refused(Refusal(exit: 24, "revoked")), at: 9_000),
  ]

  private static func count(in request: Control.Request) -> Int {
    Int(request.arguments["count"]?.integer ?? 0)
  }

  private static func sendPackets(_ socket: consuming UnixSocket, _ unsent: [UInt8]) {
    let bytes = unsent + packets.flatMap(\.bytes)
    try? socket.sendAll(bytes.span, waitingUpTo: .seconds(10))
  }

  func stop() {
    stopping.signal()
    thread.withLock { $0.take() }?.join()
    unlink(path)
  }

  private func run(_ server: consuming ControlServer) {
    var server = server
    var poll = Poll()
    while true {
      poll.removeAll()
      let stop = poll.add(stopping.descriptor.number)
      server.enlist(in: &poll)
      let limit = server.deadline.map { $0 - KernelClock.monotonic.now }
      _ = try? poll.wait(upTo: server.isWatched ? .milliseconds(1) : limit)
      if poll[stop].contains(.readable) { return }
      try? server.serve(poll) { _, request in
        switch request.verb {
        case "echo": .reply(.done(request.arguments))
        case "repeat":
          .reply(.done(["text": .string(String(repeating: "x", count: Self.count(in: request)))]))
        case "watch": .watch(.done)
        case "later": .later
        case "tap":
          .handOver(
            .done(["tap": Self.tapped.json, "position": .integer(5)]), Self.sendPackets)
        default: .reply(.refused(Refusal(exit: 64, "no such verb", advice: "say echo")))
        }
      }
      turnedAway.add(server.takeTurnedAway().count, ordering: .relaxed)
      connections.store(server.connectionCount, ordering: .relaxed)
      if server.isWatched {
        for _ in 0..<mostEvents {
          server.publish(["text": .string(String(repeating: "x", count: 1000))])
        }
      }
    }
  }
}

/// A thread that another thread can join.
struct Pthread: Sendable {
  private final class Done: Sendable {
    let semaphore = DispatchSemaphore(value: 0)
  }
  private let done = Done()

  init(_ body: @escaping @Sendable () -> Void) throws {
    let done = done
    Foundation.Thread.detachNewThread {
      body()
      done.semaphore.signal()
    }
  }

  func join() { done.semaphore.wait() }
}
