import Audio
import Control
import JSON
import Linux
import Store
import Support
import Testing

@testable import Commands

@Suite("A request to a session that closes the connection", .timeLimit(.minutes(2)))
struct SessionClientTests {
  /// Publishes a session of this process, and passes a client to `body`. The session closes the
  /// first connections after their request, and answers the next one.
  private func withSession(
    closing count: Int, _ body: (SessionClient) throws -> Void
  ) throws {
    let scratch = try ScratchDirectory()
    let store = MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path))
    guard let lock = try store.sessions.lock(.usual) else { throw NotLocked() }
    var record = SessionRecord(
      identifier: "take", name: SessionName.usual.text, process: Environment.processIdentifier,
      device: "test:ramp", path: nil, began: KernelClock.realTime.now)
    record.socket = scratch.path("take.sock")
    try store.sessions.publish(record, as: .usual)
    let listener = Handoff(try UnixListener(at: scratch.path("take.sock")))
    _ = try Thread("session") {
      guard let listener = listener.take() else { return }
      for number in 0...count { try? Self.serve(listener, answering: number == count) }
    }
    try body(SessionClient(store))
    _ = consume lock
  }

  private struct NotLocked: Error {}

  private static func serve(_ listener: borrowing UnixListener, answering: Bool) throws {
    guard try listener.descriptor.wait(upTo: .seconds(10)), let socket = try listener.accept()
    else { return }
    let hello = Hello(role: .session, program: "0", process: Environment.processIdentifier)
    try send(hello.json.encoded(), over: socket)
    var request = [UInt8](repeating: 0, count: 4_096)
    guard try socket.descriptor.wait(upTo: .seconds(10)),
      try socket.receive(into: &request) != nil, answering
    else { return }
    try send(#"{"id":1,"ok":true,"result":{"state":"here"}}"#, over: socket)
  }

  private static func send(_ line: String, over socket: borrowing UnixSocket) throws {
    let bytes = Array("\(line)\n".utf8)
    try socket.sendAll(bytes.span, waitingUpTo: .seconds(10))
  }

  @Test(
    "is repeated while the session runs, if it has no effect",
    arguments: [SessionVerb.status, .tap])
  func repeated(verb: SessionVerb) throws {
    try withSession(closing: 2) { client in
      let answer = try client.ask(.usual, verb)
      #expect(answer?["state"]?.string == "here")
    }
  }

  @Test("is not repeated if it may have had its effect")
  func once() throws {
    try withSession(closing: 1) { client in
      let answer = try client.ask(.usual, .split)
      #expect(answer == nil)
    }
  }

  @Test("A loss of a tap is counted, and no cause is claimed")
  func loss() {
    let stream = StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16)
    let report = TapReport(
      name: "default", input: stream, output: stream, first: 0, frames: 10, lost: 4_800)
    #expect(report.loss == "4800 frames (0:00.100) were lost", "\(report.loss ?? "")")
  }
}
