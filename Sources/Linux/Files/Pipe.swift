internal import CLinux
internal import Glibc

/// The two ends of a pipe. The structure is frozen, so that other targets can take each end out of
/// it.
@frozen package struct Pipe: ~Copyable, Sendable {
  /// The end to read from. Reads return end of file once every writing end is closed.
  package let reading: Descriptor
  /// The end to write to. Writes fail with `brokenPipe` once every reading end is closed.
  package let writing: Descriptor
}

extension Descriptor {
  /// Creates a pipe. Both ends are close-on-exec.
  package static func pipe() throws(SystemError) -> Pipe {
    var ends: [CInt] = [0, 0]
    try checked("pipe2") { unsafe pipe2(&ends, O_CLOEXEC) }
    return Pipe(reading: Descriptor(owning: ends[0]), writing: Descriptor(owning: ends[1]))
  }

  /// Sets the capacity of a pipe in bytes. Returns false if the system refuses; the capacity is
  /// then unchanged.
  @discardableResult
  package func holdInPipe(_ bytes: Int) -> Bool {
    fcntl(number, CInt(set_pipe_size), CInt(bytes)) >= 0
  }
}
