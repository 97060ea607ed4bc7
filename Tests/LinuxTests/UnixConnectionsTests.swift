import Foundation
import Glibc
import Support
import Testing

@testable import Linux

@Suite("The connections of Unix sockets")
struct UnixConnectionsTests {
  @Test("are those that a server accepted, and not its socket alone")
  func connections() throws {
    let scratch = try ScratchDirectory()
    let path = try Directory(resolving: scratch.path).path(of: "native")
    let listener = try UnixListener(at: path)
    let first = try UnixSocket(connectingTo: path, waitingUpTo: .seconds(1))
    let second = try UnixSocket(connectingTo: path, waitingUpTo: .seconds(1))
    let own = getpid()
    let clients = try UnixConnections.Sockets(of: own)
    let waiting = Self.sockets(listener.descriptor.number)
    // The server has accepted no connection.
    #expect(try UnixConnections().connections(from: clients, to: waiting) == 0)
    let accepted = try listener.accept()!
    let server = Self.sockets(listener.descriptor.number, accepted.descriptor.number)
    let connections = try UnixConnections()
    #expect(connections.connections(from: clients, to: server) == 1)
    #expect(connections.paths(of: try .init(of: own)).contains(path))
    let programs = connections.clients(own, of: server)
    #expect(programs.map { $0.process } == [own] && programs.first?.connections == 1)
    #expect(first.descriptor.number != second.descriptor.number)
  }

  @Test("do not count twice if a descriptor is duplicated")
  func duplicated() throws {
    let scratch = try ScratchDirectory()
    let path = try Directory(resolving: scratch.path).path(of: "native")
    let listener = try UnixListener(at: path)
    let client = try UnixSocket(connectingTo: path, waitingUpTo: .seconds(1))
    let accepted = try listener.accept()!
    let copy = Descriptor(owning: dup(client.descriptor.number))
    let clients = try UnixConnections.Sockets(of: getpid())
    let server = Self.sockets(accepted.descriptor.number)
    #expect(try UnixConnections().connections(from: clients, to: server) == 1)
    #expect(client.descriptor.number != copy.number)
  }

  @Test("do not lead from a server to a client whose socket has a path")
  func named() throws {
    let scratch = try ScratchDirectory()
    let directory = try Directory(resolving: scratch.path)
    let listener = try UnixListener(at: directory.path(of: "native"))
    // A socket with a path of its own, which no call of this library creates.
    let client = Descriptor(owning: socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0))
    let number = client.number
    let bound = try Self.with(directory.path(of: "pipewire-0")) { bind(number, $0, $1) }
    let connected = try Self.with(directory.path(of: "native")) { connect(number, $0, $1) }
    let accepted = try listener.accept()!
    #expect(bound == 0 && connected == 0)
    let own = try UnixConnections.Sockets(of: getpid())
    let (near, far) = (Self.sockets(number), Self.sockets(accepted.descriptor.number))
    let connections = try UnixConnections()
    #expect(connections.connections(from: own, to: far) == 0)
    #expect(connections.connections(from: own, to: near) == 0)
  }

  /// Returns the sockets of these descriptors alone: other tests of this process connect meanwhile,
  /// but not to these sockets.
  private static func sockets(_ descriptors: CInt...) -> UnixConnections.Sockets {
    let numbers = descriptors.map { descriptor in
      var status = stat()
      _ = fstat(descriptor, &status)
      return UInt32(status.st_ino)
    }
    return .init(numbers: Set(numbers))
  }

  /// Calls `body` with the address of a path.
  private static func with(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) throws -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
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
