internal import Control
internal import Linux
internal import Store

/// The socket at which other programs reach a session; used only by the holder of the lock of its name.
final class SessionSocket {
  private let store: SessionStore
  private let name: SessionName
  /// The path at this moment.
  private(set) var path: String
  /// The moment at which the path was last compared with the one that is wanted.
  private var compared = KernelClock.monotonic.now

  /// The longest time in which a session that can be reached moves to a directory that appeared.
  private static let patience = Duration.seconds(5)

  init(_ name: SessionName, in store: SessionStore) {
    self.name = name
    self.store = store
    path = store.paths.socket(of: name)
  }

  /// Listens, in place of a dead session's socket.
  func open() throws(TakeError) -> ControlServer {
    do throws(DirectoryRefusal) {
      try makeDirectory(store.paths)
    } catch {
      throw .directory(error)
    }
    remove()
    let hello = Hello(
      role: .session, program: Version.current, process: Environment.processIdentifier)
    do throws(SystemError) {
      return try ControlServer(at: path, hello: hello, mostConnections: Self.clientsLeft)
    } catch {
      throw .step(.listenForClients, error)
    }
  }

  /// Descriptors that a take needs beside its clients: the device, two files at a time, their
  /// directories, locks and threads.
  private static let neededByTake = 30
  private static let mostClients = 64

  /// The most clients that leave the take its descriptors; further ones are refused.
  private static var clientsLeft: Int {
    min(mostClients, max(2, DescriptorReserve.left - neededByTake))
  }

  /// Listens at the current path again: a logout removes the runtime directory under a live
  /// session, and the next login makes it anew. Connected clients stay connected.
  func follow(_ server: inout ControlServer) {
    let now = KernelClock.monotonic.now
    guard !isThere || (isSecondChoice && now - compared >= Self.patience) else { return }
    compared = now
    guard let paths = try? SessionPaths.current(), paths.state == store.paths.state else {
      return
    }
    let wanted = paths.socket(of: name)
    guard wanted != path || !isThere, (try? makeDirectory(paths)) != nil else { return }
    remove()
    path = wanted
    remove()
    guard (try? server.listen(at: path)) != nil else { return }
    try? store.move(name, to: path)
  }

  func remove() {
    let (parent, name) = path.pathParts
    guard let directory = try? PrivateDirectory.open(parent.trimmingBytes(last: 1)) else { return }
    try? directory.remove(name)
  }

  /// True where the socket is in the state directory, for want of one of the login.
  private var isSecondChoice: Bool { path.utf8.starts(with: store.paths.state.utf8) }

  private var isThere: Bool { (try? FileStatus(of: path, following: false)) != nil }

  private func makeDirectory(_ paths: SessionPaths) throws(DirectoryRefusal) {
    _ = try PrivateDirectory.make(at: paths.runtime)
  }
}
