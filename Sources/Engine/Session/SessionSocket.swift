internal import CommandLine
internal import Control
internal import Linux
internal import Store

/// Where other programs reach a session; only who holds the lock of its name uses this.
final class SessionSocket {
  private let store: SessionStore
  private let name: SessionName
  /// Where it is now.
  private(set) var path: String

  init(_ name: SessionName, on store: SessionStore) {
    self.name = name
    self.store = store
    path = store.paths.socket(of: name)
  }

  /// Listens, in the place of what a dead session left.
  func open() throws(Failure) -> ControlServer {
    try makeDirectory(store.paths)
    remove()
    let hello = Hello(
      role: .session, program: Version.current, process: Environment.processIdentifier)
    do throws(SystemError) {
      return try ControlServer(at: path, hello: hello, mostConnections: Self.clientsLeft)
    } catch {
      throw Failure(.failed, Message("cannot be controlled by other programs: \(error)"))
    }
  }

  /// Descriptors that a take needs beside its clients: the device, two files at a time, their
  /// directories, locks and threads.
  private static let neededByTake = 30
  private static let mostClients = 64

  /// As many as leave the take what it needs; others are told that there are too many.
  private static var clientsLeft: Int {
    min(mostClients, max(2, DescriptorReserve.left - neededByTake))
  }

  /// Listens where others look by now: a logout takes the runtime directory away under a live session,
  /// and the next login brings it back. Who is connected stays so.
  func follow(_ server: inout ControlServer) {
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

  private var isThere: Bool { (try? FileStatus(of: path, following: false)) != nil }

  private func makeDirectory(_ paths: SessionPaths) throws(Failure) {
    do throws(DirectoryRefusal) {
      _ = try PrivateDirectory.make(at: paths.runtime)
    } catch {
      throw Failure(unusable: error)
    }
  }
}
