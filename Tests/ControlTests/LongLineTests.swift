import Control
import JSON
import Testing

@Suite("Long lines over the socket", .timeLimit(.minutes(2)))
struct LongLineTests {
  @Test("A line of 64 KiB is read, and one more byte closes the connection")
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

  @Test("A request that is too long is not sent, and the connection stays usable")
  func request() throws {
    let server = try RunningServer()
    defer { server.stop() }
    var client = try ControlClient(connectingTo: server.path)
    let text = JSONValue.string(String(repeating: "x", count: 65_536))
    var found: ControlError?
    do throws(ControlError) { _ = try client.ask("echo", ["text": text]) } catch { found = error }
    let frame = #"{"id":1,"do":"echo","text":""}"#.utf8.count + 1
    #expect(found == .tooLong(bytes: 65_536 + frame))
    #expect(try client.ask("echo", ["n": 1]) == ["n": 1])
  }

  @Test("A reply can be longer than a request, and is refused above 16 MiB")
  func reply() throws {
    let server = try RunningServer()
    defer { server.stop() }
    var client = try ControlClient(connectingTo: server.path)
    for count in [100_000, 4_000_000] {
      let reply = try client.ask(
        "repeat", ["count": count.json], waitingUpTo: .seconds(60))
      #expect(reply["text"]?.string?.utf8.count == count)
    }
    var found: ControlError?
    do throws(ControlError) {
      _ = try client.ask("repeat", ["count": 17_000_000], waitingUpTo: .seconds(60))
    } catch {
      found = error
    }
    guard case .refused(let refusal) = found else {
      Issue.record("\(String(describing: found))")
      return
    }
    #expect(refusal.message.contains("too long"))
  }
}
