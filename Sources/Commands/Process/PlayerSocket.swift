internal import Control
internal import Linux
internal import Store

/// The socket of the player. A user has only one player: the process that holds the lock.
struct PlayerSocket: ~Copyable {
  private(set) var paths: PlayerPaths
  private let lock: FileLock

  /// The largest number of connected programs. Each `play` command stays connected while it waits
  /// for its sound.
  private static let mostPrograms = 512

  /// Takes the lock. Waits for another player that is about to end, and throws if that player does
  /// not end.
  init(_ paths: PlayerPaths) throws {
    let directory = try PrivateDirectory.make(at: paths.user.state)
    _ = try PrivateDirectory.make(at: paths.user.runtime)
    do throws(any Error) {
      lock = try FileLock(PlayerPaths.lock, in: directory, waitingUpTo: .seconds(5))
    } catch let error as SystemError where error.errno == .timedOut {
      throw paths.unreachable
    }
    self.paths = paths
  }

  /// Opens the socket, and replaces the socket of a dead player.
  func open() throws -> ControlServer {
    _ = try PrivateDirectory.make(at: paths.user.runtime)
    remove()
    let hello = Hello(
      role: .player, program: Version.current, process: Environment.processIdentifier,
      build: (try? FileStatus(of: "/proc/self/exe"))?.identity)
    let server = try Failure.context("other programs cannot reach the player") {
      try ControlServer(at: paths.socket, hello: hello, mostConnections: Self.mostPrograms)
    }
    try publish()
    return server
  }

  /// Opens the socket again at the current path, after a logout has removed the runtime directory.
  /// Connected clients stay connected.
  mutating func reopen(_ server: inout ControlServer) throws {
    let current = try SessionPaths.current()
    // The current paths are used only if their state directory is the same, because it contains the
    // lock that this process holds.
    if current.state.isSameName(as: paths.user.state) { paths.user = current }
    _ = try PrivateDirectory.make(at: paths.user.runtime)
    try server.listen(at: paths.socket)
    try publish()
  }

  private func publish() throws(DirectoryRefusal) {
    try paths.publish(
      PlayerRecord(process: Environment.processIdentifier, socket: paths.socket))
  }

  /// Whether the socket still exists. A logout removes it.
  var isThere: Bool { (try? FileStatus(of: paths.socket, following: false)) != nil }

  /// Removes the socket, and the player's record in the home directory.
  func remove() {
    paths.withdraw()
    guard let directory = try? PrivateDirectory.open(paths.user.runtime) else { return }
    try? directory.remove(PlayerPaths.socketName)
  }
}
