import Foundation
import Linux

/// A terminal that a test types on and reads from, with a program in its foreground.
package struct PseudoTerminal: ~Copyable {
  /// The side of the terminal that the test reads and writes.
  package let controller: Descriptor
  /// The program's side. It is kept open so that the program's output is not lost.
  package let terminal: Descriptor

  /// Makes a terminal, by default with 80 columns and 24 rows.
  package init(columns: UInt16 = 80, rows: UInt16 = 24) throws {
    var (first, second) = (Int32(-1), Int32(-1))
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    try checked("openpty") { openpty(&first, &second, nil, nil, &size) }
    for number in [first, second] { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(first, F_SETFL, O_RDWR | O_NONBLOCK)
    controller = Descriptor(owning: first)
    terminal = Descriptor(owning: second)
  }

  /// Starts a program with this terminal as its controlling terminal, as a shell in a window does.
  ///
  /// `setsid` of util-linux takes the terminal, which `posix_spawn` cannot.
  package func start(
    _ program: String, _ arguments: [String] = [], environment: [String: String?] = [:]
  ) throws -> ChildProcess {
    var spawn = Spawn(
      "/usr/bin/setsid", ["--ctty", Tool.path(of: program) ?? program] + arguments)
    spawn.environment = Tool.merged(environment)
    spawn.descriptors = [terminal.number, terminal.number, terminal.number]
    return try spawn.start()
  }

  /// Types the keys.
  package func type(_ keys: String) throws {
    let keys = Array(keys.utf8)
    try controller.writeAll(keys.span)
  }

  /// Reads until `text` has appeared, and returns everything that was read. On a timeout, throws
  /// `timedOut` with everything in the subject.
  @discardableResult
  package func read(until text: String, limit: Duration = .seconds(10)) throws -> String {
    let deadline = KernelClock.monotonic.now + limit
    var shown: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: shown, as: UTF8.self).contains(text) {
      guard try controller.wait(upTo: deadline - KernelClock.monotonic.now) else {
        throw SystemError(
          "read", String(decoding: shown, as: UTF8.self), errno: .timedOut)
      }
      shown += chunk[..<(try controller.read(into: &chunk))]
    }
    return String(decoding: shown, as: UTF8.self)
  }
}
