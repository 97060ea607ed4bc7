import Control
import Foundation
import JSON
import Linux
import Testing

@Suite("A conversation over the socket", .timeLimit(.minutes(1)))
struct ConversationTests {
  @Test("The first line says who serves, and a request gets its own reply")
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

  @Test("A refusal keeps its code, its words and its advice")
  func isRefused() throws {
    let server = try RunningServer()
    defer { server.stop() }
    var client = try ControlClient(connectingTo: server.path)
    var found: ControlError?
    do throws(ControlError) { _ = try client.ask("dance") } catch { found = error }
    #expect(found == .refused(Refusal(exit: 64, "no such verb", advice: "say echo")))
  }

  @Test("Where nobody listens the client says so at once")
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

  @Test("An answer that does not come ends the wait in time")
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

  @Test("Another user is turned away before a byte is read")
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

  @Test("A server of another user is not believed")
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

  @Test("The 65th client is told that it is one too many, and the others go on")
  func tooManyClients() throws {
    let server = try RunningServer()
    defer { server.stop() }
    var idle: [RawClient] = []
    for _ in 0..<ControlServer.mostConnections {
      let client = try RawClient(server.path)
      #expect(try client.line().contains("protocol"))
      idle.append(client)
    }
    let late = try RawClient(server.path)
    #expect(try late.line().contains("protocol"))
    #expect(try late.line().contains("too many"))
    #expect(try late.isClosed())
    try idle[0].send("{\"id\":7,\"do\":\"echo\"}\n")
    #expect(try idle[0].line() == #"{"id":7,"ok":true,"result":{}}"#)
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

  @Test("A line of 64 KiB is read, and one byte more closes the connection")
  func longLines() throws {
    let server = try RunningServer()
    defer { server.stop() }
    let frame = #"{"id":1,"do":"none","text":""}"#.utf8.count + 1
    for (length, closes) in [(65_536, false), (65_537, true)] {
      let client = try RawClient(server.path)
      _ = try client.line()
      let text = String(repeating: "x", count: length - frame)
      try client.send("{\"id\":1,\"do\":\"none\",\"text\":\"\(text)\"}\n")
      if closes {
        #expect(try client.isClosed())
      } else {
        #expect(try client.line().contains("no such verb"))
      }
    }
  }

  @Test("A line that is begun and not ended closes the connection after two seconds")
  func halfALine() throws {
    let server = try RunningServer()
    defer { server.stop() }
    let client = try RawClient(server.path)
    _ = try client.line()
    let began = KernelClock.monotonic.now
    try client.send("{\"id\":1,")
    #expect(try client.isClosed())
    let took = KernelClock.monotonic.now - began
    #expect(took > .seconds(1.9) && took < .seconds(4))
  }

  @Test("A watcher that never reads is closed, and others are served")
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
