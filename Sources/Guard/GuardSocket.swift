package import Control
internal import Linux
internal import Store

/// The socket of a user's guard on this machine. The process that owns the socket also holds a
/// lock, so that only one guard is running.
package struct GuardSocket: ~Copyable {
  var server: ControlServer
  private let lock: FileLock
  private let runtime: String

  private static let lock = "guard.lock"
  private static let name = "_guard.sock"

  /// Takes the lock and listens. Throws if another guard is running.
  init() throws {
    let paths = try SessionPaths.current(claiming: true)
    let state = try PrivateDirectory.make(at: paths.state)
    let directory = try PrivateDirectory.make(at: paths.runtime)
    let lock = try Self.takeLock(in: state)
    // A guard with another state directory has another lock, but the same socket.
    if let other = try Self.client() { throw GuardError.alreadyRunning(other.hello.process) }
    // A guard that was killed has left its socket.
    try? directory.remove(Self.name)
    let hello = Hello(
      role: .guard, program: Version.current, process: Environment.processIdentifier)
    server = try ControlServer(at: paths.runtime.path(of: Self.name), hello: hello)
    runtime = paths.runtime
    self.lock = lock
  }

  private static func takeLock(in directory: borrowing Directory) throws -> FileLock {
    if let lock = try FileLock.take(lock, in: directory, waitingUpTo: .zero) { return lock }
    throw GuardError.alreadyRunning(FileLock.holder(lock, in: directory))
  }

  deinit { try? PrivateDirectory.open(runtime).remove(Self.name) }

  /// Connects to the running guard, or returns nil if there is none.
  package static func client() throws -> ControlClient? {
    try .ifListening(at: SessionPaths.current().runtime.path(of: name))
  }
}
