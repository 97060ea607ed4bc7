import Audio
import Control
import Foundation
import JSON
import Linux
import Support
import Synchronization
import Testing

@Suite("A conversation over the socket", .timeLimit(.minutes(10)))
struct ConversationTests {
  @Test("The first line identifies the server, and each request gets its own reply")
  func asksAndIsAnswered() throws {
    let server = try RunningServer()
    defer { server.stop() }
    var client = try ControlClient(connectingTo: server.path)
    #expect(client.hello.role == .session)
    #expect(client.hello.protocolVersion == 1)
    for text in ["", "one", "\u{1B}[2J", "日本"] {
      #expect(try client.ask("echo", ["text": .string(text)]) == ["text": .string(text)])
    }
  }

  @Test("A connection that is handed over carries the packets of a tap until it is closed")
  func handedOver() throws {
    let server = try RunningServer()
    defer { server.stop() }
    var stream = try ControlClient(connectingTo: server.path).tap(track: nil, client: nil)
    #expect(stream.format == RunningServer.tapped)
    var packets: [TapPacket] = []
    var losses: [FrameCount] = []
    var isConnected = true
    while isConnected {
      var poll = Poll()
      poll.add(stream.number)
      try poll.wait(upTo: .seconds(10))
      isConnected = stream.receive()
      while let (packet, lost) = try stream.next() {
        packets.append(packet)
        losses.append(lost)
      }
    }
    #expect(packets == RunningServer.packets)
    // The first packet ends at 7 + 8,192, and the last one is at 9,000.
    #expect(losses == [0, 801] && stream.lost == 801)
    #expect(stream.first == 7 && stream.frames == 8_192)
    #expect(try ControlClient(connectingTo: server.path).hello.role == .session)
  }

  @Test("A reader that received no frames has missed those from the position in the reply on")
  func lostFromTheBeginning() throws {
    let server = try RunningServer()
    defer { server.stop() }
    var stream = try ControlClient(connectingTo: server.path).tap(track: nil, client: nil)
    let missed = [stream.miss(upTo: 105), stream.miss(upTo: 105)]
    #expect(missed == [100, 0] && stream.lost == 100)
  }

  @Test("A refusal keeps its exit code, its message and its advice")
  func isRefused() throws {
    let server = try RunningServer()
    defer { server.stop() }
    var client = try ControlClient(connectingTo: server.path)
    var found: ControlError?
    do throws(ControlError) { _ = try client.ask("dance") } catch { found = error }
    #expect(found == .refused(Refusal(exit: 64, "no such verb", advice: "say echo")))
  }

  @Test("A missing server is reported immediately")
  func nobodyListens() throws {
    let server = try RunningServer()
    server.stop()
    var found: ControlError?
    do throws(ControlError) {
      _ = try ControlClient(connectingTo: server.path)
    } catch {
      found = error
    }
    #expect(found == .notRunning(path: server.path))
  }

  @Test("A missing answer ends the wait at its limit")
  func answerDoesNotCome() throws {
    let server = try RunningServer()
    defer { server.stop() }
    var client = try ControlClient(connectingTo: server.path)
    var found: ControlError?
    do throws(ControlError) {
      _ = try client.ask("later", waitingUpTo: .milliseconds(100))
    } catch {
      found = error
    }
    #expect(found == .timedOut)
  }

  @Test("A client of another user is disconnected before a byte is read")
  func anotherUser() throws {
    let server = try RunningServer(owner: Environment.effectiveUser &+ 1)
    var found: ControlError?
    do throws(ControlError) {
      _ = try ControlClient(connectingTo: server.path)
    } catch {
      found = error
    }
    #expect(found == .closed)
    server.stop()
    #expect(server.turnedAway.load(ordering: .relaxed) == 1)
  }

  @Test("A server of another user is not trusted")
  func serverOfAnotherUser() throws {
    let server = try RunningServer()
    defer { server.stop() }
    let other = Environment.effectiveUser &+ 1
    var found: ControlError?
    do throws(ControlError) {
      _ = try ControlClient(connectingTo: server.path, owner: other)
    } catch {
      found = error
    }
    #expect(found == .foreign(path: server.path, user: Environment.effectiveUser))
  }

  @Test("The 65th client is refused as one too many, and the others are still served")
  func tooManyClients() throws {
    let server = try RunningServer()
    defer { server.stop() }
    let waiting = try fill(server, saying: "{\"id\":1,\"do\":\"later\"}\n")
    let late = try RawClient(server.path)
    #expect(try late.line().contains("protocol"))
    #expect(try late.line().contains("too many"))
    #expect(try late.isClosed())
    try waiting[0].send("{\"id\":7,\"do\":\"echo\"}\n")
    #expect(try waiting[0].line() == #"{"id":7,"ok":true,"result":{}}"#)
  }

  @Test("An idle client is disconnected when a new one asks")
  func idleClients() throws {
    let server = try RunningServer()
    defer { server.stop() }
    let idle = try fill(server, saying: nil)
    for number in 0..<8 {
      var client = try ControlClient(connectingTo: server.path)
      var answer: JSONObject?
      while answer == nil {
        do throws(ControlError) {
          answer = try client.ask("echo", ["n": number.json])
        } catch .busy {
          client = try ControlClient(connectingTo: server.path)
        }
      }
      #expect(answer == ["n": number.json])
    }
    #expect(try idle[0].isClosed())
  }

  /// Opens 64 connections, as many as the server accepts. Each one sends `text`, if it is not nil.
  private func fill(_ server: RunningServer, saying text: String?) throws -> [RawClient] {
    try (0..<64).map { _ in
      let client = try RawClient(server.path)
      #expect(try client.line().contains("protocol"))
      if let text { try client.send(text + "{\"id\":2,\"do\":\"echo\"}\n") }
      if text != nil { _ = try client.line() }
      return client
    }
  }

  @Test("A client that floods the server delays no answer to others")
  func flood() throws {
    let server = try RunningServer()
    defer { server.stop() }
    let flooding = try RawClient(server.path)
    let line = #"{"id":1,"do":"later"}"# + "\n"
    let flood = String(repeating: line, count: 3_000)
    let isOver = Atomic<Bool>(false)
    let thread = try Pthread {
      // The connection closes at the end of the test at the latest.
      while !isOver.load(ordering: .relaxed), (try? flooding.send(flood)) != nil {}
    }
    var client = try ControlClient(connectingTo: server.path)
    for number in 0..<200 {
      #expect(try client.ask("echo", ["n": number.json]) == ["n": number.json])
    }
    isOver.store(true, ordering: .relaxed)
    thread.join()
  }

  @Test("A server that moves to another socket keeps its clients, and accepts new ones there")
  func elsewhere() throws {
    let scratch = try ScratchDirectory()
    let hello = Hello(role: .session, program: "0.0.0", process: 1)
    var server = try ControlServer(at: scratch.path("a.sock"), hello: hello)
    let clients = try [RawClient(scratch.path("a.sock"))]
    serve(&server)
    try server.listen(at: scratch.path("b.sock"))
    let others = try [RawClient(scratch.path("b.sock"))]
    serve(&server)
    #expect(server.connectionCount == 2)
    for client in clients + others { #expect(try client.line().contains("protocol")) }
    #expect(throws: SystemError.self) { try RawClient(scratch.path("a.sock")) }
  }

  private func serve(_ server: inout ControlServer) {
    var poll = Poll()
    server.enlist(in: &poll)
    _ = try? poll.wait(upTo: .seconds(5))
    try? server.serve(poll) { _, _ in .reply(.done) }
  }

  @Test(
    "Nonsense closes the connection",
    arguments: ["{}\n", "[1]\n", "\0\n", "{\"id\":1,\"id\":2,\"do\":\"echo\"}\n", "\n"])
  func nonsense(text: String) throws {
    let server = try RunningServer()
    defer { server.stop() }
    let client = try RawClient(server.path)
    _ = try client.line()
    try client.send(text)
    #expect(try client.isClosed())
  }

  @Test("An incomplete line closes the connection after two seconds")
  func halfALine() throws {
    let server = try RunningServer()
    defer { server.stop() }
    let client = try RawClient(server.path)
    _ = try client.line()
    let (began, wait) = (KernelClock.monotonic.now, ProcessorWait())
    try client.send("{\"id\":1,")
    #expect(try client.isClosed())
    let took = KernelClock.monotonic.now - began
    #expect(took > .seconds(1.9) && took < .seconds(4) + wait.longest)
  }

  @Test("A watcher that never reads is disconnected, and others are served")
  func slowReader() throws {
    let server = try RunningServer(events: 100)
    defer { server.stop() }
    let client = try RawClient(server.path)
    _ = try client.line()
    try client.send("{\"id\":1,\"do\":\"watch\"}\n")
    var other = try ControlClient(connectingTo: server.path)
    var tries = 0
    repeat {
      #expect(try other.ask("echo", ["n": 1]) == ["n": 1])
      tries += 1
    } while server.connections.load(ordering: .relaxed) != 1 && tries < 100_000
    #expect(server.connections.load(ordering: .relaxed) == 1)
  }
}
