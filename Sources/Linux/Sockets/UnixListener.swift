internal import CLinux
internal import Glibc

/// A Unix socket that waits for others to connect.
///
/// It never removes its file: only the holder of the name's lock knows whether the file is still
/// its own.
package struct UnixListener: ~Copyable, Sendable {
  /// Readable while a connection waits to be accepted.
  package let descriptor: Descriptor

  /// Listens at an unused path; throws `addressInUse` where something is there.
  ///
  /// The file is 0600 from its first moment, for any umask.
  package init(at path: String, backlog: Int32 = 64) throws(SystemError) {
    let socket = try UnixSocket.make(nonBlocking: true)
    let number = socket.number
    // The kernel makes the file with the mode of the socket itself; unlike umask this is no
    // setting of the whole process, so it disturbs no file that another thread makes.
    try checked("fchmod", path) { fchmod(number, 0o600) }
    let address = try UnixAddress(path: path)
    try checked("bind", path) { unsafe address.withSocketAddress { unsafe bind(number, $0, $1) } }
    try checked("listen", path) { listen(number, backlog) }
    descriptor = socket
  }

  /// Accepts the next connection; nil where none waits or the peer has gone again.
  package func accept() throws(SystemError) -> UnixSocket? {
    let flags = CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    do {
      let number = try checked("accept4") {
        accept4(descriptor.number, nil, nil, flags)
      }
      return UnixSocket(owning: Descriptor(owning: number))
    } catch let error where error.errno == .wouldBlock || error.errno == .connectionAborted {
      return nil
    }
  }
}
