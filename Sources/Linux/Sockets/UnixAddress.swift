internal import Glibc

/// The address of a Unix socket, short enough for the kernel whatever the length of its path.
struct UnixAddress: ~Copyable {
  private var address = sockaddr_un()
  // Keeps /proc/self/fd/N alive while the address is used.
  private let directory: Descriptor?

  /// Bytes of a path that the kernel's structure holds, without the NUL.
  static let capacity = 107

  init(path: String) throws(SystemError) {
    try refuseNUL("socket", path)
    guard !path.isEmpty else { throw SystemError("socket", path, errno: .invalid) }
    if path.utf8.count <= Self.capacity {
      directory = nil
      fill(with: path)
      return
    }
    let name = path.split(separator: "/").last ?? ""
    let parent = try Descriptor(
      opening: String(path.dropLast(name.count)), [.pathOnly, .directory])
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
  func withSocketAddress(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
