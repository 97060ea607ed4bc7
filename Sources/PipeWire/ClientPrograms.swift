package import Linux

/// The programs of a server's clients at one moment, identified by the kernel's facts about their
/// processes. Each process is examined once.
///
/// docs/design/guard.md lists the properties that a client can forge.
package struct ClientPrograms {
  private let graph: Graph
  private let connections: UnixConnections?
  /// Whether the process numbers from the server are also valid in this process.
  private let hasSameNumbers: Bool
  private var programs: [Int32: RunningProgram] = [:]
  private var roles: [Int32: Role] = [:]

  /// The role of a process that is connected to the server.
  private enum Role {
    case program
    /// The server itself, or its session manager.
    case server
    /// A server for other clients, such as pipewire-pulse, with its sockets. The sockets are nil if
    /// the process cannot be trusted to be such a server.
    case relay(UnixConnections.Sockets?)
  }

  /// Reads the kernel's list of connections.
  ///
  /// - Parameter graph: a graph with all clients, among them this process.
  package init(of graph: Graph) {
    self.graph = graph
    connections = try? UnixConnections()
    let own = Environment.processIdentifier
    hasSameNumbers = graph.clients.values.contains { $0.process == own }
  }

  /// Returns the program of a client, or nil if the client is the server itself or its session
  /// manager.
  ///
  /// - Parameter known: the process of this client at an earlier moment, or nil.
  package mutating func program(
    of client: UInt32, formerly known: Int32? = nil
  ) -> RunningProgram? {
    guard hasSameNumbers, let client = graph.clients[client], let process = client.process,
      process > 0
    else { return RunningProgram(0, unknown: .noProcess) }
    switch role(of: process) {
    case .server: return nil
    case .program: return program(process)
    case .relay(let sockets):
      guard let sockets, let confirmed = confirmed(client, formerly: known, sockets)
      else { return RunningProgram(0, unknown: .unconfirmed) }
      return program(confirmed)
    }
  }

  private mutating func program(_ process: Int32) -> RunningProgram {
    if let known = programs[process] { return known }
    let program = RunningProgram(process)
    programs[process] = program
    return program
  }

  private mutating func role(of process: Int32) -> Role {
    if let known = roles[process] { return known }
    let role = newRole(of: process)
    roles[process] = role
    return role
  }

  private static let managers = ["wireplumber", "pipewire-media-session"]

  private mutating func newRole(of process: Int32) -> Role {
    let program = program(process)
    guard let name = program.fileName else { return .program }
    if Self.managers.contains(name) { return program.isInstalled ? .server : .program }
    guard ["pipewire", "pipewire-pulse"].contains(name) else { return .program }
    guard program.isInstalled, let connections,
      let sockets = try? UnixConnections.Sockets(of: process)
    else { return .relay(nil) }
    // A process is the server if recorder has connected to one of the sockets of the process. A
    // connection to a socket of recorder would prove nothing, because any program can make one.
    if let own = try? UnixConnections.Sockets(of: Environment.processIdentifier),
      connections.connections(from: own, to: sockets) > 0
    {
      return .server
    }
    // A process with only a filter chain has no listening socket.
    return connections.paths(of: sockets).isEmpty ? .program : .relay(sockets)
  }

  /// Returns the process that a client of a relay claims to be, if that process is connected to the
  /// relay.
  ///
  /// A client can claim the process number of another client. So a process must have at least as
  /// many connections as there are clients that claim its number. Processes in several sandboxes
  /// can have the same number. In that case, the result is nil, except for a client whose process
  /// was confirmed before the others connected.
  private func confirmed(
    _ client: Graph.Client, formerly known: Int32?, _ sockets: UnixConnections.Sockets
  ) -> Int32? {
    let found = client.claimedProcess.flatMap { connections?.clients($0, of: sockets) } ?? []
    guard found.reduce(0, { $0 + $1.connections }) >= graph.claims(like: client) else { return nil }
    if let known, found.contains(where: { $0.process == known }) { return known }
    return found.count == 1 ? found[0].process : nil
  }
}

extension RunningProgram {
  /// Whether this is a server of PipeWire, which opens devices for its clients.
  package var isPipeWireServer: Bool {
    guard fileName == "pipewire", isInstalled, let connections = try? UnixConnections(),
      let sockets = try? UnixConnections.Sockets(of: process)
    else { return false }
    return connections.paths(of: sockets).contains {
      $0.pathNames.last?.begins(with: "pipewire-") ?? false
    }
  }

  fileprivate var fileName: String? {
    guard case .path(let path) = identity else { return nil }
    return path.text.pathNames.last
  }

  /// Whether root owns the executable, and no other user can replace the file. The name alone
  /// proves nothing, because a user can give any name to a file. The owner alone proves nothing
  /// either, because a filesystem that a user mounts can report any owner.
  fileprivate var isInstalled: Bool {
    guard case .path(let path) = identity, (try? FileStatus(of: path.text))?.owner == 0
    else { return false }
    return (try? Ancestors.check(above: path.text, owner: 0)) != nil
  }
}
