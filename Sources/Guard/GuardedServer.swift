internal import Control
internal import Linux
internal import Permission
internal import PipeWire

/// The sound server that is guarded. It may end and start again at any time.
struct GuardedServer: ~Copyable {
  private var registry: Registry?
  /// Notices a server that starts.
  private var sockets: Watch
  private var graph = Graph()
  private var programs = GuardedPrograms()
  /// The clients of this graph, or nil if none was examined yet.
  private var examined: ClientPrograms?
  /// The program of this process.
  private let own = ProgramIdentity.path(Path((try? ExecutablePath.current()) ?? ""))
  /// The last failure, to report each one once.
  private var failure: ConnectionFailure?

  init() throws(SystemError) {
    var watch = try Watch()
    for directory in Self.directories { try watch.add(directory) }
    sockets = watch
  }

  /// The directories that may hold the socket of the server.
  private static var directories: [String] {
    ["PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR"].compactMap { Environment.value(of: $0) }
      .filter { $0.begins(with: "/") }
  }

  /// Connects if there is no connection. Returns news if that succeeds after a failure, or fails in
  /// another way than before.
  mutating func connect() -> GuardNews? {
    if let ended = registry?.failure {
      registry = nil
      programs = GuardedPrograms()
      failure = ended
    }
    if registry != nil { return nil }
    _ = try? sockets.takeChanges()
    do throws(ConnectionFailure) {
      registry = try Registry(try Connection.open(), withClients: true)
      defer { failure = nil }
      return failure.map { _ in .guarded }
    } catch {
      defer { failure = error }
      return error == failure ? nil : .unguarded(error)
    }
  }

  /// Adds the descriptors that end a wait.
  mutating func enlist(in poll: inout Poll) {
    poll.add(registry?.number ?? -1)
    poll.add(registry == nil ? sockets.descriptor.number : -1)
  }

  /// Reads the graph.
  mutating func read() {
    registry?.takeChange()
    graph = registry?.graph ?? Graph()
    examined = nil
    programs.follow(graph)
  }

  /// The numbers of all nodes.
  var nodes: Set<UInt32> { Set(graph.nodes.keys) }

  /// The numbers of all connections.
  var connections: Set<UInt32> { Set(graph.clients.keys) }

  /// The links of each use by a program. The server's own nodes, and recorder itself, have none
  /// here: recorder follows its own permission.
  mutating func uses() -> [Graph.Use: UsedLinks] {
    var found: [Graph.Use: UsedLinks] = [:]
    for (number, link) in graph.links {
      guard let use = graph.use(of: link), isGuarded(use.client) else { continue }
      let device = graph.nodes[use.source]?.title ?? ""
      found[use, default: UsedLinks([:], of: device)].links[number] = link
    }
    return found
  }

  private mutating func isGuarded(_ client: UInt32) -> Bool {
    guard let program = running(client) else { return false }
    return program.identity != own
  }

  /// Returns the program of a client.
  mutating func program(of client: UInt32) -> GuardedProgram {
    let program = running(client) ?? RunningProgram(0, unknown: .noProcess)
    let client = Client(program.identity)
    // Not the name that the program gives itself, which could be that of another program.
    let name = client.isIdentified ? client.baseName : "an unknown program"
    return GuardedProgram(
      client: client, title: program.script ?? name, process: ProcessFacts(of: program.process))
  }

  /// Returns the program of a client, or nil for the server itself.
  private mutating func running(_ client: UInt32) -> RunningProgram? {
    var clients = examined.take()
    defer { examined = clients }
    let graph = graph
    return programs.program(of: client, in: graph) {
      if clients == nil { clients = ClientPrograms(of: graph) }
      return clients?.program(of: client)
    }
  }

  func cut(_ link: UInt32) { registry?.remove(link: link) }

  func restore(_ link: Graph.Link) { registry?.create(link) }

  func level(_ mode: GuardMode) -> GuardLevel {
    registry == nil ? .none : mode == .log ? .logged : .cut
  }

  func reason(_ mode: GuardMode) -> String? {
    if registry == nil { return failure.map { "\($0)" } }
    return mode == .log ? nil : "the sound server links a program before its permission is known"
  }
}
