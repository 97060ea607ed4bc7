internal import CLinux
internal import Glibc

/// One of the three standard streams of a process.
package enum StandardStream: CInt, CaseIterable, Sendable {
  case input = 0
  case output = 1
  case error = 2

  /// Writes all of the text. Waits if the reader is slow.
  package func write(_ text: String) throws(SystemError) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      do throws(SystemError) {
        rest.removeFirst(try write(rest))
      } catch let error where error.errno == .wouldBlock {
        waitForRoom()
      }
    }
  }

  /// True if a short write would not have to wait. A terminal that was stopped with Ctrl-S has no
  /// room.
  package var hasRoom: Bool {
    var one = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&one, 1, 0) == 1 && one.revents & Int16(POLLOUT) != 0
  }

  /// Writes `bytes` or only the first part of them. Returns the number of bytes written.
  package func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
    try checked("write", self == .output ? "stdout" : "stderr") {
      unsafe bytes.withUnsafeBytes { unsafe Glibc.write(rawValue, $0.baseAddress, $0.count) }
    }
  }

  /// Waits until the stream accepts bytes. This is needed because another process may have made the
  /// shared stream non-blocking.
  private func waitForRoom() {
    var one = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&one, 1, -1)
  }
}

extension StandardStream {
  /// Opens /dev/null for each stream that was closed before the start, so that no file that is
  /// opened later gets the number of the stream.
  ///
  /// Each stream is opened in the wrong direction, so that a write to a closed stdout still fails.
  package static func holdClosed() {
    for stream in allCases where fcntl(stream.rawValue, F_GETFD) == -1 {
      _ = unsafe open("/dev/null", stream == .input ? O_WRONLY : O_RDONLY)
    }
  }
}

extension Descriptor {
  /// Creates a second descriptor of a standard stream, which is close-on-exec. The stream itself
  /// stays open.
  package init(duplicating stream: StandardStream) throws(SystemError) {
    self.init(owning: try checked("fcntl") { fcntl(stream.rawValue, F_DUPFD_CLOEXEC, 0) })
  }
}
