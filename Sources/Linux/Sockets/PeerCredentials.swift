internal import CLinux
internal import Glibc

/// The process at the other end of a Unix socket, as the kernel saw it when the two connected.
package struct PeerCredentials: Hashable, Sendable {
  /// The effective user when it connected.
  package let user: UInt32
  /// The effective group then.
  package let group: UInt32
  /// For display only: the process may have ended and its number been used again.
  package let process: Int32

  /// The corresponding option of `getsockopt` is SO_PEERCRED.
  init(of socket: CInt) throws(SystemError) {
    var answer = peer_credentials()
    var size = socklen_t(MemoryLayout<peer_credentials>.size)
    try checked("getsockopt") {
      unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &answer, &size)
    }
    user = answer.uid
    group = answer.gid
    process = answer.pid
  }
}
