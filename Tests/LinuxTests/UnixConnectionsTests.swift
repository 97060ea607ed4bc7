import Foundation
import Glibc
import Linux
import Support
import Testing

@Suite("The connections of Unix sockets")
struct UnixConnectionsTests {
  @Test("are those that a server accepted, and not its socket alone")
  func connections() throws {
    let scratch = try ScratchDirectory()
    let path = try Directory(resolving: scratch.path).path(of: "native")
    let listener = try UnixListener(at: path)
    let own = getpid()
    func count() throws -> Int {
      let sockets = try UnixConnections.Sockets(of: own)
      return try UnixConnections().connections(from: sockets, to: sockets)
    }
    let before = try count()
    let first = try UnixSocket(connectingTo: path, waitingUpTo: .seconds(1))
    let second = try UnixSocket(connectingTo: path, waitingUpTo: .seconds(1))
    // Nobody has accepted them.
    #expect(try count() == before)
    let accepted = try listener.accept()
    #expect(try count() == before + 1)
    #expect(try UnixConnections().paths(of: .init(of: own)).contains(path))
    let clients = try UnixConnections().clients(own, of: .init(of: own))
    #expect(clients.map { $0.process } == [own] && clients.first?.connections == before + 1)
    #expect(first.descriptor.number != second.descriptor.number && accepted != nil)
  }

  @Test("of another program are not those of this one")
  func others() throws {
    let child = try Spawn("/bin/sleep", ["60"]).start()
    defer {
      try? child.send(.kill)
      _ = try? child.hasEnded(within: .seconds(10))
    }
    let (own, other) = try (
      UnixConnections.Sockets(of: getpid()), UnixConnections.Sockets(of: child.identifier)
    )
    let connections = try UnixConnections()
    #expect(connections.connections(from: other, to: own) == 0)
    #expect(connections.paths(of: other).isEmpty)
    #expect(connections.clients(child.identifier, of: own).isEmpty)
  }
}
