internal import CLinux
internal import Glibc

/// One end of a connection between two processes of this machine. The socket is non-blocking.
package struct UnixSocket: ~Copyable, Sendable {
  /// Readable once bytes have arrived or the other end is closed.
  package let descriptor: Descriptor

  /// Takes over a connected, non-blocking socket.
  package init(owning descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Connects to the listener at `path`. Waits up to `limit` if the queue of the listener is full.
  ///
  /// Throws `timedOut` after `limit`, `noSuchFile` if the socket does not exist, and
  /// `connectionRefused` if no process listens any more.
  package init(connectingTo path: String, waitingUpTo limit: Duration) throws(SystemError) {
    let socket = try Self.make(nonBlocking: false)
    let number = socket.number
    try Self.limit(number, to: limit)
    let address = try UnixAddress(path: path)
    do {
      try checked("connect", path) {
        unsafe address.withSocketAddress { unsafe connect(number, $0, $1) }
      }
    } catch let error where error.errno == .wouldBlock {
      throw SystemError("connect", path, errno: .timedOut)
    }
    try socket.setNonBlocking(true)
    descriptor = socket
  }

  /// Reads the credentials of the other end.
  package func peer() throws(SystemError) -> PeerCredentials {
    try PeerCredentials(of: descriptor.number)
  }

  /// Sends from the start of `bytes`. Returns the number of bytes sent, or nil if there is no room
  /// now.
  ///
  /// Throws `brokenPipe` if the other end is closed. No signal is raised.
  package func send(_ bytes: Span<UInt8>) throws(SystemError) -> Int? {
    let flags = CInt(MSG_NOSIGNAL)
    return try unsafe bytes.withUnsafeBufferPointer { bytes throws(SystemError) in
      try unless(
        .wouldBlock,
        checked("send") {
          unsafe Glibc.send(descriptor.number, bytes.baseAddress, bytes.count, flags)
        })
    }
  }

  /// Receives into the start of `buffer`. Returns the number of bytes, 0 once the other end is
  /// closed, or nil if no data is available now.
  ///
  /// If the other end also sends descriptors, the kernel closes them.
  package func receive(into buffer: inout [UInt8]) throws(SystemError) -> Int? {
    try descriptor.readIfReady(into: &buffer)
  }

  /// Sends all of `bytes`. Throws `timedOut` if this takes longer than `limit`.
  package func sendAll(_ bytes: Span<UInt8>, waitingUpTo limit: Duration) throws(SystemError) {
    let deadline = KernelClock.monotonic.now + limit
    var sent = 0
    while sent < bytes.count {
      if let count = try send(bytes.extracting(droppingFirst: sent)) {
        sent += count
      } else if try !descriptor.wait(
        for: .writable, upTo: deadline - KernelClock.monotonic.now)
      {
        throw SystemError("send", errno: .timedOut)
      }
    }
  }

  /// Creates two connected sockets. The corresponding C function is `socketpair`.
  package static func pair() throws(SystemError) -> SocketPair {
    var ends: [CInt] = [0, 0]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    try checked("socketpair") { unsafe socketpair(AF_UNIX, kind, 0, &ends) }
    return SocketPair(
      first: UnixSocket(owning: Descriptor(owning: ends[0])),
      second: UnixSocket(owning: Descriptor(owning: ends[1])))
  }

  static func make(nonBlocking: Bool) throws(SystemError) -> Descriptor {
    let flags = SOCK_CLOEXEC.rawValue | (nonBlocking ? SOCK_NONBLOCK.rawValue : 0)
    let kind = CInt(SOCK_STREAM.rawValue | flags)
    return Descriptor(owning: try checked("socket") { socket(AF_UNIX, kind, 0) })
  }

  // If the queue of the listener is full, `poll` cannot wait until `connect` succeeds. But the time
  // limit for sending also applies to `connect`.
  private static func limit(_ socket: CInt, to limit: Duration) throws(SystemError) {
    let (seconds, attoseconds) = limit.components
    // Zero would mean no limit.
    let microseconds = max(1, Int(attoseconds / 1_000_000_000_000))
    try checked("setsockopt") { limit_sending(socket, Int(seconds), microseconds) }
  }
}

/// The two ends of a connection within one process. The structure is frozen, so that other targets
/// can take each end out of it.
@frozen package struct SocketPair: ~Copyable, Sendable {
  /// One end. Both ends are equivalent.
  package let first: UnixSocket
  /// The other end.
  package let second: UnixSocket
}

/// A Unix socket that accepts connections.
///
/// The listener never removes the file at its path, because the file may belong to a later
/// listener. The owner of the path has to remove the file.
package struct UnixListener: ~Copyable, Sendable {
  /// Readable while a connection waits to be accepted.
  package let descriptor: Descriptor

  /// Listens at an unused path. Throws `addressInUse` if the path exists.
  ///
  /// The file has mode 0600 from the beginning, regardless of the umask.
  package init(at path: String, backlog: Int32 = 64) throws(SystemError) {
    let socket = try UnixSocket.make(nonBlocking: true)
    let number = socket.number
    // The kernel creates the file with the mode of the socket. The alternative, a change of the
    // umask, would also affect files that other threads create.
    try checked("fchmod", path) { fchmod(number, 0o600) }
    let address = try UnixAddress(path: path)
    try checked("bind", path) { unsafe address.withSocketAddress { unsafe bind(number, $0, $1) } }
    try checked("listen", path) { listen(number, backlog) }
    descriptor = socket
  }

  /// Accepts the next connection. Returns nil if none is waiting or the peer has already given up.
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

/// The address of a Unix socket. A path that is too long for the kernel is replaced by a short path
/// through /proc/self/fd.
private struct UnixAddress: ~Copyable {
  private var address = sockaddr_un()
  // Keeps /proc/self/fd/N valid while the address is used.
  private let directory: Descriptor?

  /// The number of path bytes that the kernel's structure can hold, without the NUL.
  private static let capacity = 107

  init(path: String) throws(SystemError) {
    try refuseNUL("socket", path)
    guard !path.isEmpty else { throw SystemError("socket", path, errno: .invalid) }
    if path.utf8.count <= Self.capacity {
      directory = nil
      fill(with: path)
      return
    }
    let (above, name) = path.pathParts
    let parent = try Descriptor(opening: above, [.pathOnly, .directory])
    let short = "/proc/self/fd/\(parent.number)/\(name)"
    guard short.utf8.count <= Self.capacity else {
      throw SystemError("socket", path, errno: .nameTooLong)
    }
    directory = consume parent
    fill(with: short)
  }

  private mutating func fill(with path: String) {
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
  }

  /// Calls a C function with the address and its size.
  func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// The process at the other end of a Unix socket, as the kernel recorded it at the time of the
/// connection.
package struct PeerCredentials: Hashable, Sendable {
  /// The effective user at that time.
  package let user: UInt32
  /// The process number, for display only: the process may have ended and the number may have been
  /// reused.
  package let process: Int32

  /// Reads the credentials. The corresponding option of `getsockopt` is SO_PEERCRED.
  init(of socket: CInt) throws(SystemError) {
    var answer = peer_credentials()
    var size = socklen_t(MemoryLayout<peer_credentials>.size)
    try checked("getsockopt") {
      unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &answer, &size)
    }
    user = answer.uid
    process = answer.pid
  }
}
