internal import CLinux
internal import Glibc

/// The Unix sockets of this network namespace, with the sockets that they are connected to, at one
/// moment. The kernel reports the connections, so no program can pretend to have a connection.
package struct UnixConnections: Sendable {
  /// The path of each listening socket and of each accepted connection.
  private var paths: [UInt32: String] = [:]
  /// The other end of each connected socket.
  private var peers: [UInt32: UInt32] = [:]

  /// Reads the list. The corresponding interface of the kernel is `sock_diag`.
  package init() throws(SystemError) {
    let kind = CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
    let socket = Descriptor(
      owning: try checked("socket") { Glibc.socket(AF_NETLINK, kind, NETLINK_SOCK_DIAG) })
    try checked("send") { ask_unix_sockets(socket.number) }
    var block = [UInt8](repeating: 0, count: 65_536)
    var isComplete = false
    while !isComplete {
      let count = try socket.read(into: &block)
      isComplete = try add(block[..<count])
    }
  }

  /// Adds the messages in a block. Returns true after the last message.
  private mutating func add(_ block: ArraySlice<UInt8>) throws(SystemError) -> Bool {
    guard !block.isEmpty else { throw SystemError("sock_diag", errno: .noSuchProcess) }
    var position = 0
    while let message = Part(block, at: position, header: 16) {
      switch Int(message.type) {
      case Int(NLMSG_DONE): return true
      case Int(NLMSG_ERROR): throw SystemError("sock_diag", errno: .notPermitted)
      default: add(socket: message.body)
      }
      position = message.next
    }
    return false
  }

  /// Adds a socket. The number of the socket is at offset 4, and its attributes begin at offset 16.
  private mutating func add(socket: ArraySlice<UInt8>) {
    guard let number = socket.word(at: 4) else { return }
    var position = 16
    while let attribute = Part(socket, at: position, header: 4) {
      switch Int(attribute.type) {
      case Int(UNIX_DIAG_NAME):
        // An abstract name begins with a NUL. It is ignored, because any user can take it.
        let path = String(decoding: attribute.body.prefix { $0 != 0 }, as: UTF8.self)
        paths[number] = path.isEmpty ? nil : path
      case Int(UNIX_DIAG_PEER): peers[number] = attribute.body.word(at: 0)
      default: break
      }
      position = attribute.next
    }
  }

  /// A message or an attribute of netlink. It begins with its length and its type.
  private struct Part {
    let type: UInt16
    let body: ArraySlice<UInt8>
    /// The position of the next part.
    let next: Int

    /// Reads the part at a position, or returns nil at the end of the bytes.
    ///
    /// - Parameter header: the length of the header: 16 bytes for a message, 4 bytes for an
    ///   attribute.
    init?(_ bytes: ArraySlice<UInt8>, at position: Int, header: Int) {
      let rest = bytes.dropFirst(position)
      guard let first = rest.word(at: 0), rest.count >= header else { return nil }
      // The length of a message has 32 bits, and the length of an attribute has 16.
      let isAttribute = header == 4
      let length = Int(isAttribute ? first & 0xFFFF : first)
      guard length >= header, length <= rest.count else { return nil }
      type = UInt16(truncatingIfNeeded: isAttribute ? first >> 16 : rest.word(at: 4) ?? 0)
      body = rest.prefix(length).dropFirst(header)
      next = position + (length + 3) / 4 * 4
    }
  }
}

extension ArraySlice<UInt8> {
  /// Returns the 32-bit number at an offset, in the machine's byte order, which netlink uses.
  fileprivate func word(at offset: Int) -> UInt32? {
    let part = dropFirst(offset).prefix(4)
    guard part.count == 4 else { return nil }
    return UInt32(littleEndian: part.reversed().reduce(0) { $0 << 8 | UInt32($1) })
  }
}

extension UnixConnections {
  /// The sockets of a process, by their numbers.
  package struct Sockets: Sendable {
    let numbers: Set<UInt32>
  }

  /// Returns the paths at which a process listens or has accepted a connection.
  package func paths(of sockets: Sockets) -> [String] { sockets.numbers.compactMap { paths[$0] } }

  /// Returns the number of connections that a process made to a server.
  ///
  /// Both ends can have a path: the accepted end has the path of its listener, and a program can
  /// give its own socket any path before it connects. So an end with a path counts as accepted.
  package func connections(from client: Sockets, to server: Sockets) -> Int {
    client.numbers.count { number in
      guard paths[number] == nil, let peer = peers[number] else { return false }
      return paths[peer] != nil && server.numbers.contains(peer)
    }
  }

  /// Returns the processes that have this number in their own PID namespace and are connected to
  /// the server, each with the number of its connections. A program in a sandbox has a different
  /// number in the namespace of this program. If one of the processes has the same number in both
  /// namespaces, only this process is returned.
  package func clients(
    _ number: Int32, of server: Sockets
  ) -> [(process: Int32, connections: Int)] {
    if let own = client(number, calledItself: number, of: server) { return [own] }
    let processes = ((try? Directory("/proc").names()) ?? []).compactMap { Int32($0) }
    return processes.compactMap { client($0, calledItself: number, of: server) }
  }

  private func client(
    _ process: Int32, calledItself number: Int32, of server: Sockets
  ) -> (process: Int32, connections: Int)? {
    guard ProcessFacts(process).numbers.last == number, let sockets = try? Sockets(of: process)
    else { return nil }
    let count = connections(from: sockets, to: server)
    guard count > 0 else { return nil }
    return (process: process, connections: count)
  }
}

extension UnixConnections.Sockets {
  /// Reads the descriptors of a process. Throws if this program may not read them, for example
  /// because the process belongs to another user.
  package init(of process: Int32) throws(SystemError) {
    let directory = "/proc/\(process)/fd"
    // A link that cannot be read is skipped, because a descriptor may be closed meanwhile.
    numbers = Set(
      try Directory(directory).names().compactMap { name in
        let target = try? SymbolicLink.target(of: directory.path(of: name))
        guard let target, target.begins(with: "socket:[") else { return nil }
        return UInt32(target.trimmingBytes(first: 8, last: 1))
      })
  }
}
