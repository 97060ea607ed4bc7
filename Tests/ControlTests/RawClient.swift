import Linux

/// A client that sends anything, well-formed or not.
final class RawClient: @unchecked Sendable {
  private let socket: UnixSocket
  private var received: [UInt8] = []

  init(_ path: String) throws {
    socket = try UnixSocket(connectingTo: path, waitingUpTo: .seconds(5))
  }

  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    try socket.sendAll(bytes.span, waitingUpTo: .seconds(5))
  }

  /// Returns the next line, or the text received before the other end closed the connection.
  func line() throws -> String {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeSubrange(...end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      guard try receive() else { return String(decoding: received, as: UTF8.self) }
    }
  }

  /// Reads until the other end closes the connection. Returns false if it stays open.
  func isClosed() throws -> Bool {
    while try socket.descriptor.wait(upTo: .seconds(10)) {
      if try !receive() { return true }
    }
    return false
  }

  private func receive() throws -> Bool {
    guard try socket.descriptor.wait(upTo: .seconds(10)) else { return false }
    var buffer = [UInt8](repeating: 0, count: 4096)
    do throws(SystemError) {
      guard let count = try socket.receive(into: &buffer) else { return true }
      received += buffer[..<count]
      return count > 0
    } catch {
      // The other end closed the connection with unread data.
      if error.errno == .connectionReset { return false }
      throw error
    }
  }
}
