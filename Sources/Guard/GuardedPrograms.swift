internal import Linux
internal import PipeWire

/// The programs of the connections to the sound server.
///
/// The program of a connection does not change. An unknown program may be identified later, mostly
/// because of facts that the server reports. The kernel's facts are read again only a few times,
/// because they change rarely, and reading them requires a list of all sockets.
struct GuardedPrograms {
  /// The facts of the server that an examination depends on.
  private struct Facts: Hashable {
    let client: Graph.Client
    /// The number of connections that claim the same process behind the same relay.
    let claims: Int
  }

  private struct Found {
    let program: RunningProgram?
    let facts: Facts?
    let examinations: Int
    var isCurrent = true

    var isKnown: Bool { program?.identity.identifier != nil || program == nil }
  }

  private var found: [UInt32: Found] = [:]

  /// The process of a connection when the connection was first seen.
  private struct Process {
    /// The serial number of the connection.
    let serial: String
    /// The start of the process, in clock ticks since the boot, or nil if it had ended already.
    let started: Int64?
  }

  private var processes: [UInt32: Process] = [:]

  /// The maximum number of examinations of an unknown program with the same facts.
  private static let most = 3

  /// Returns the program of a connection, which is nil for the server itself. Calls `examine` for a
  /// new connection, and again for an unknown program: a few times, and after its facts changed.
  mutating func program(
    of connection: UInt32, in graph: Graph, _ examine: () -> RunningProgram?
  ) -> RunningProgram? {
    let former = found[connection]
    if let former, former.isCurrent { return former.program }
    let facts = Self.facts(connection, graph)
    let count = former?.facts == facts ? former?.examinations ?? 0 : 0
    var program = examine()
    // The number of a process that has ended may already belong to another process.
    let process = graph.clients[connection]?.process
    if let process, processes[connection]?.started != Self.start(of: process) {
      program = RunningProgram(process, unknown: .ended)
    }
    found[connection] = Found(program: program, facts: facts, examinations: count + 1)
    return program
  }

  /// Follows a change of the graph: forgets the connections that have ended, and stores the start
  /// of each new process.
  mutating func follow(_ graph: Graph) {
    for (connection, client) in graph.clients {
      guard processes[connection]?.serial.isSameName(as: client.serial) != true else { continue }
      let started = client.process.flatMap(Self.start)
      processes[connection] = Process(serial: client.serial, started: started)
    }
    processes = processes.filter { graph.clients[$0.key] != nil }
    // The server reuses the numbers of connections, but never their serial numbers.
    found = found.filter { connection, former in
      guard let serial = graph.clients[connection]?.serial else { return false }
      return former.facts?.client.serial.isSameName(as: serial) == true
    }
    for (connection, former) in found where !former.isKnown {
      found[connection]?.isCurrent =
        former.examinations >= Self.most && former.facts == Self.facts(connection, graph)
    }
  }

  private static func start(of process: Int32) -> Int64? {
    try? OtherProcess(process).started()
  }

  private static func facts(_ connection: UInt32, _ graph: Graph) -> Facts? {
    guard let client = graph.clients[connection] else { return nil }
    let claims = graph.clients.values.count {
      $0.process == client.process && $0.claimedProcess == client.claimedProcess
    }
    return Facts(client: client, claims: claims)
  }
}
