import Glibc
import Linux
import Support
import Testing

@Suite("Processes talk over Unix sockets")
struct SocketTests {
  /// A short path, a long one, and a long one whose name begins with an accent, which Swift joins
  /// with the slash before it.
  private static let names = ["s", "socket", "\u{301}s"].enumerated().map { index, name in
    (index == 0 ? "" : String(repeating: "directory/", count: 12)) + name
  }

  @Test("The kernel identifies the peer, for a path of any length", arguments: names)
  func credentials(name: String) throws {
    let scratch = try ScratchDirectory()
    let path = scratch.path(name)
    try Directory.makeAll(path.pathParts.directory)
    let listener = try UnixListener(at: path)
    #expect(try FileStatus(of: path).mode == 0o600)
    let isEarly = try listener.accept() == nil
    #expect(isEarly)
    let client = try UnixSocket(connectingTo: path, waitingUpTo: .seconds(5))
    guard let server = try listener.accept() else {
      Issue.record("nobody to accept")
      return
    }
    #expect(try server.peer().user == geteuid())
    #expect(try server.peer().process == getpid())
    #expect(try client.send("hello".utf8.span) == 5)
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(try server.receive(into: &buffer) == 5)
    #expect(try server.receive(into: &buffer) == nil)
  }

  @Test("A path in use, without a listener, too long or with a NUL is refused with that reason")
  func refusals() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.path("s")
    do {
      let listener = try UnixListener(at: path)
      #expect(listener.descriptor.number >= 0)
      #expect(Self.reason { _ = try UnixListener(at: path) } == .addressInUse)
    }
    for (path, expected) in [
      (path, Errno.connectionRefused), (scratch.path("none"), .noSuchFile),
      (scratch.path(String(repeating: "x", count: 120)), .nameTooLong), ("a\0b", .invalid),
      ("", .invalid),
    ] {
      #expect(
        Self.reason { _ = try UnixSocket(connectingTo: path, waitingUpTo: .seconds(1)) }
          == expected)
    }
  }

  @Test("Connecting to a full queue ends at its time limit")
  func fullQueue() throws {
    let scratch = try ScratchDirectory()
    let listener = try UnixListener(at: scratch.path("s"), backlog: 0)
    let first = try UnixSocket(connectingTo: scratch.path("s"), waitingUpTo: .seconds(1))
    let reason = Self.reason {
      _ = try UnixSocket(connectingTo: scratch.path("s"), waitingUpTo: .milliseconds(50))
    }
    #expect(reason == .timedOut)
    #expect(listener.descriptor.number != first.descriptor.number)
  }

  @Test(
    "A peer that does not read stops the sender in time; a closed one causes an error")
  func sending() throws {
    let chunk = [UInt8](repeating: 7, count: 1 << 20)
    let stalled = try UnixSocket.pair()
    #expect(
      Self.reason { try stalled.first.sendAll(chunk.span, waitingUpTo: .milliseconds(50)) }
        == .timedOut)
    #expect(try stalled.first.send(chunk.span) == nil)
    shutdown(stalled.second.descriptor.number, CInt(SHUT_WR))
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(try stalled.first.receive(into: &buffer) == 0)
    let scratch = try ScratchDirectory()
    let listener = try UnixListener(at: scratch.path("s"))
    let survivor = try UnixSocket(connectingTo: scratch.path("s"), waitingUpTo: .seconds(1))
    let isServed = try listener.accept() != nil
    #expect(isServed)
    #expect(Self.reason { _ = try survivor.send([1].span) } == .brokenPipe)
  }

  private static func reason(_ body: () throws -> Void) -> Errno? {
    do {
      try body()
      return nil
    } catch {
      return (error as? SystemError)?.errno
    }
  }
}
