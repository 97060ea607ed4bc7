internal import Control
internal import Linux
internal import Store

/// The socket at which other programs reach a session. The session must hold the lock of its name
/// while it uses this object.
final class SessionSocket {
  private let store: MachineStore
  private let name: SessionName
  private let identifier: String
  /// The current path.
  private(set) var path: String
  /// The socket file, or nil while the session cannot be reached.
  private var file: FileStatus?
  /// The time of the last comparison of the path with the preferred path.
  private var compared = KernelClock.monotonic.now

  /// The time between two checks for a runtime directory, while the socket is in the state
  /// directory.
  private static let patience = Duration.seconds(5)

  init(_ name: SessionName, _ identifier: String, in store: MachineStore) {
    self.name = name
    self.identifier = identifier
    self.store = store
    path = store.paths.socket(of: name)
  }

  /// Listens, and replaces the socket of a dead session.
  func open() throws -> ControlServer {
    try makeDirectory(store.paths)
    // This session holds the lock of the name, so the session of this record is dead.
    if let left = store.sessions.record(of: name)?.socket, !Self.isTaken(left) {
      try? Self.remove(left)
    }
    let hello = Hello(
      role: .session, program: Version.current, process: Environment.processIdentifier)
    return try listen(in: store.paths) { path throws(SystemError) in
      try ControlServer(at: path, hello: hello, mostConnections: Self.clientsLeft)
    }
  }

  /// Makes a socket at the path for the session's name. If another session listens there, uses the
  /// path for the identifier. That session has another state directory, but the same runtime
  /// directory.
  private func listen<Result: ~Copyable>(
    in paths: SessionPaths, _ make: (String) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    path = paths.socket(of: name)
    if Self.isTaken(path) { path = paths.socket(ofTake: identifier) }
    try? Self.remove(path)
    let result: Result
    do {
      result = try make(path)
    } catch let error where error.errno == .addressInUse {
      // Another session has made a socket there meanwhile.
      path = paths.socket(ofTake: identifier)
      result = try make(path)
    }
    file = try? FileStatus(of: path, following: false)
    return result
  }

  /// Returns whether a process listens at `path`. Such a process has another state directory.
  private static func isTaken(_ path: String) -> Bool {
    do throws(SystemError) {
      _ = try UnixSocket(connectingTo: path, waitingUpTo: .milliseconds(100))
      return true
    } catch {
      return error.errno == .timedOut
    }
  }

  /// The number of descriptors that a take needs in addition to its clients: for the device, two
  /// files at a time, their directories, locks and threads.
  private static let neededByTake = 30
  private static let mostClients = 64

  /// The largest number of clients for which enough descriptors are left. Further clients are
  /// refused.
  private static var clientsLeft: Int {
    min(mostClients, max(2, DescriptorReserve.left - neededByTake))
  }

  /// Listens again if the socket was removed, or moves the socket from the state directory to a
  /// runtime directory that exists now. A logout removes the runtime directory during a session,
  /// and the next login creates it again. Connected clients stay connected.
  func follow(_ server: inout ControlServer) {
    let now = KernelClock.monotonic.now
    guard !isThere || (isSecondChoice && now - compared >= Self.patience) else { return }
    compared = now
    guard let paths = try? SessionPaths.current(),
      paths.state.isSameName(as: store.paths.state)
    else { return }
    let isWanted = !isThere || !paths.runtime.isSameName(as: store.paths.state)
    guard isWanted, (try? makeDirectory(paths)) != nil else { return }
    remove()
    guard
      (try? listen(in: paths, { path throws(SystemError) in try server.listen(at: path) })) != nil
    else { return }
    try? store.sessions.move(name, to: path)
  }

  func remove() {
    if isThere { try? Self.remove(path) }
    file = nil
  }

  private static func remove(_ path: String) throws {
    let (parent, name) = path.pathParts
    try PrivateDirectory.open(parent.trimmingBytes(last: 1)).remove(name)
  }

  /// Whether the socket is in the state directory, because no runtime directory existed.
  private var isSecondChoice: Bool { path.utf8.starts(with: store.paths.state.utf8) }

  /// Whether the file at the path is the socket of this session.
  private var isThere: Bool {
    guard let file, let present = try? FileStatus(of: path, following: false) else { return false }
    return present.isSameFile(as: file) && present.modified == file.modified
  }

  private func makeDirectory(_ paths: SessionPaths) throws(DirectoryRefusal) {
    _ = try PrivateDirectory.make(at: paths.runtime)
  }
}
