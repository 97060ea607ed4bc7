internal import Control
internal import Linux
internal import Permission
internal import PipeWire

/// The sound server that is guarded. It may end and start again at any time.
struct GuardedServer: ~Copyable {
  private var registry: Registry?
  /// A watch of the directories of the server's socket. It detects the start of a server.
  private var sockets: Watch
  private var graph = Graph()
  private var programs = GuardedPrograms()
  /// The programs of the clients in `graph`, or nil if no client was examined yet.
  private var examined: ClientPrograms?
  /// The program of this process.
  private let own = ProgramIdentity.path(Path((try? ExecutablePath.current()) ?? ""))
  /// The last failure. Each failure is reported once.
  private var failure: ConnectionFailure?
  /// The time on the monotonic clock of the next attempt to connect, or nil if only a change of the
  /// directories causes an attempt.
  private(set) var retry: Duration?
  /// The script that WirePlumber has loaded, or nil if it has loaded none.
  private var script: GuardScript?
  /// The clients that need no decision of the guard: the server and recorder.
  private var trusted: Set<UInt32> = []
  /// The metadata object that the guard has written to without an effect so far, or nil.
  private var tried: UInt32?
  /// Whether the script has the decisions of this guard.
  private var isConfirmed = false

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

  /// Connects if there is no connection. Returns news if the attempt succeeds after a failure, or
  /// if it fails for a new reason.
  mutating func connect() -> GuardNews? {
    // This comes before the failure and the graph are read, so that a later change ends the next
    // wait.
    registry?.takeChange()
    if let ended = registry?.failure {
      registry = nil
      failure = ended
    }
    if registry != nil { return nil }
    (programs, tried) = (GuardedPrograms(), nil)
    _ = try? sockets.takeChanges()
    retry = nil
    do throws(ConnectionFailure) {
      let connection = try Connection.open()
      registry = try Registry(connection, withClients: true)
      read()
      // Waits for the texts in the metadata objects, which `read` has requested.
      try connection.roundTrip()
      defer { failure = nil }
      return failure.map { _ in .guarded }
    } catch {
      registry = nil
      if Self.mayPass(error, in: Self.directories) {
        retry = KernelClock.monotonic.now + .seconds(1)
      }
      defer { failure = error }
      return error == failure ? nil : .unguarded(error)
    }
  }

  /// Returns whether a later attempt to connect may succeed without a new socket. With socket
  /// activation, systemd keeps the socket while servers end and start.
  static func mayPass(_ failure: ConnectionFailure, in directories: [String]) -> Bool {
    switch failure {
    case .noLibrary, .oldLibrary: false
    case .noServer:
      directories.contains { (try? FileStatus(of: $0.path(of: "pipewire-0"))) != nil }
    case .noAnswer, .ended, .unlinked, .inactive, .rateChanged, .refused: true
    }
  }

  /// Adds the descriptors that end a wait.
  mutating func enlist(in poll: inout Poll) {
    poll.add(registry?.number ?? -1)
    poll.add(registry == nil ? sockets.descriptor.number : -1)
  }

  /// The time at which the programs must be examined again, or nil if no examination is needed.
  var deadline: Duration? { programs.deadline }

  /// Reads the graph. Only the metadata objects of the session manager are read. For the object of
  /// another program, the server would wait for an answer of that program, and until then handle no
  /// further request of the guard.
  mutating func read() {
    graph = registry?.graph ?? Graph()
    examined = nil
    programs.follow(graph)
    for object in GuardScript.objects(in: graph, isManager: { running($0) == nil }) {
      registry?.follow(metadata: object)
    }
    script = GuardScript.find(in: graph) { running($0) == nil }
    if script == nil { (tried, isConfirmed) = (nil, false) }
  }

  var isConnected: Bool { registry != nil }

  /// The serial numbers of all nodes.
  var nodes: [UInt32: String] { graph.nodes.mapValues(\.serial) }

  /// The sessions of all connections.
  var sessions: Set<SessionID> {
    Set(graph.clients.keys.compactMap { SessionID(of: $0, in: graph) })
  }

  /// Returns the links of each use by a program. A program that the script keeps waiting has a use
  /// without links. The server and recorder are left out: recorder checks its permission itself.
  mutating func uses() -> [Graph.Use: UsedLinks] {
    var found: [Graph.Use: UsedLinks] = [:]
    trusted = []
    let fed = graph.fedByMicrophone
    for (number, link) in graph.links {
      guard let use = graph.use(of: link, fed: fed), isGuarded(use.client) else { continue }
      let title = graph.nodes[use.source]?.title ?? ""
      found[use, default: UsedLinks([:], of: title)].links[number] = link
    }
    guard hasScript else { return found }
    for use in graph.wishes {
      guard isGuarded(use.client) else { continue }
      found[use] = UsedLinks([:], of: graph.nodes[use.source]?.title ?? "")
    }
    return found
  }

  /// Returns whether a client needs decisions of the guard. The server and recorder need none.
  mutating func isGuarded(_ client: UInt32) -> Bool {
    if let program = running(client), program.identity != own { return true }
    trusted.insert(client)
    return false
  }

  /// Returns the program of a client.
  mutating func program(of client: UInt32) -> GuardedProgram {
    let session = SessionID(of: client, in: graph)
    // Without a session, the program counts as unknown, because a grant for one recording could not
    // be used up.
    let known = session == nil ? nil : running(client)
    let program = known ?? RunningProgram(0, unknown: .noProcess)
    return GuardedProgram(
      client: Client(program.identity), title: program.title,
      process: ProcessFacts(of: program.process), session: session)
  }

  /// Returns the program of a client, or nil for the server itself.
  private mutating func running(_ client: UInt32) -> RunningProgram? {
    var clients = examined.take()
    defer { examined = clients }
    let graph = graph
    return programs.program(of: client, in: graph) { known in
      if clients == nil { clients = ClientPrograms(of: graph) }
      return clients?.program(of: client, formerly: known)
    }
  }

  func cut(_ link: UInt32) { registry?.remove(link: link) }

  /// Creates a link that was cut, if its ports still belong to the use. The server reuses the
  /// numbers of ports. If WirePlumber has the script, a stream is not linked here, because
  /// WirePlumber links it.
  func restore(_ link: Graph.Link, of use: Graph.Use) {
    if graph.use(of: link, fed: graph.fedByMicrophone) != use { return }
    if hasScript, graph.nodes[use.node]?.isCapture == true { return }
    registry?.create(link)
  }
}

extension GuardedServer {
  /// Whether WirePlumber has a script that the guard can use.
  var hasScript: Bool { script?.isUsable == true }

  /// Writes decisions for the script.
  ///
  /// - Parameter permitted: the permitted services of each client with a use, by the number of the
  ///   client.
  mutating func write(_ permitted: [UInt32: Set<Service>], _ mode: GuardMode) {
    guard let script, script.isUsable else { return }
    let process = Environment.processIdentifier
    isConfirmed = false
    guard
      let own = graph.clients.first(where: {
        $0.value.process == process && !$0.value.serial.isEmpty
      })?.key
    else { return }
    var permitted = permitted
    for client in mode == .log ? Set(graph.clients.keys) : trusted.union([own]) {
      permitted[client] = Set(Service.allCases)
    }
    let changes = script.changes(for: permitted, in: graph)
    // The decision about the guard's own client shows whether the server lets the guard write.
    let first = changes.filter { $0.entry.subject == own }
    isConfirmed = first.isEmpty
    if !isConfirmed, tried == script.metadata { return }
    tried = isConfirmed ? nil : script.metadata
    for change in isConfirmed ? changes : first {
      registry?.set(change.text, of: change.entry, in: script.metadata)
    }
  }

  func level(_ mode: GuardMode) -> GuardLevel {
    if registry == nil { return .none }
    return mode == .log ? .logged : obstacle == nil ? .closed : .cut
  }

  func reason(_ mode: GuardMode) -> String? {
    if registry == nil { return failure.map { "\($0)" } }
    return mode == .log ? nil : obstacle
  }

  /// The reason why a program without permission can record for a moment, or nil if it cannot.
  private var obstacle: String? {
    guard let script else { return "WirePlumber has not loaded the guard's script" }
    if !script.isUsable {
      return """
        WirePlumber has loaded version \(script.version.map { "\($0)" } ?? "?") of the guard's script, \
        but this guard needs version \(GuardScript.usedVersion)
        """
    }
    if !isConfirmed { return "PipeWire does not let the guard write its decisions" }
    if script.kind == .holding {
      return "WirePlumber 0.4 cannot prevent a program from creating its own links"
    }
    if graph.clients.values.contains(where: \.isUnrestricted) {
      return "PipeWire gives all rights to every program that connects"
    }
    return nil
  }
}

extension SoundSoftware {
  /// Returns whether the running server keeps programs waiting for a guard, even if no guard is
  /// running.
  package static func holdsPrograms() -> Bool {
    guard var server = try? GuardedServer(), server.connect() == nil else { return false }
    server.read()
    return server.hasScript
  }
}

extension GuardQuestion {
  /// Returns a question for each program that records now and each service that it uses, even if a
  /// decision exists. Throws if the sound server cannot be used.
  package static func current() throws -> [GuardQuestion] {
    var server = try GuardedServer()
    if case .unguarded(let failure)? = server.connect() { throw failure }
    server.read()
    var found: [GuardQuestion] = []
    let uses = server.uses().sorted { ($0.key.source, $0.key.node) < ($1.key.source, $1.key.node) }
    for (use, links) in uses {
      let program = server.program(of: use.client)
      let isFound = found.contains {
        $0.program.client == program.client && $0.program.process == program.process
          && $0.use.service == use.service
      }
      if isFound { continue }
      found.append(
        GuardQuestion(
          number: found.count + 1, program: program, use: use, device: links.device,
          deadline: .zero))
    }
    return found
  }
}
