internal import Control
internal import Guard
internal import Linux
internal import Permission
internal import PipeWire

/// The sound server that is guarded. It may end and start again at any time.
struct GuardedServer: ~Copyable {
  private var registry: Registry?
  /// Notices a server that starts.
  private var sockets: Watch
  private var watchIndex = 0
  private var programs: [UInt32: GuardedProgram] = [:]
  /// The last failure, to report each one once.
  private var failure: ConnectionFailure?

  init() throws(SystemError) {
    sockets = try Watch()
    for directory in Self.directories { try sockets.add(directory) }
  }

  /// The directories that may hold the socket of the server.
  private static var directories: [String] {
    ["PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR"].compactMap { Environment.value(of: $0) }
      .filter { $0.begins(with: "/") }
  }

  /// Connects if there is no connection. Returns a message if that fails in another way than
  /// before.
  mutating func connect() -> Message? {
    if let ended = registry?.failure {
      registry = nil
      programs = [:]
      failure = ended
    }
    if registry != nil { return nil }
    _ = try? sockets.takeChanges()
    do throws(ConnectionFailure) {
      registry = try Registry(try Connection.open(), withClients: true)
      defer { failure = nil }
      return failure.map { _ in Message("the sound server is running again, and is guarded") }
    } catch {
      defer { failure = error }
      return error == failure ? nil : Message("nothing is guarded: \(error)")
    }
  }

  /// Adds the descriptors that end a wait.
  mutating func enlist(in poll: inout Poll) {
    poll.add(registry?.number ?? -1)
    poll.add(registry == nil ? sockets.descriptor.number : -1)
  }

  /// The numbers of all streams.
  var streams: Set<UInt32> { Set((registry?.graph.nodes ?? [:]).keys) }

  func cut(_ link: UInt32) { registry?.remove(links: [link]) }

  func restore(_ link: Graph.Link) { registry?.create(link) }

  func level(_ mode: GuardMode) -> GuardLevel {
    registry == nil ? .none : mode == .log ? .logged : .cut
  }

  func reason(_ mode: GuardMode) -> String? {
    if registry == nil { return failure.map { "\($0)" } }
    return mode == .log ? nil : "the sound server links a program before its permission is known"
  }
}
