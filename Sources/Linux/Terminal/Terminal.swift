internal import Glibc

/// The terminal behind a descriptor.
package enum Terminal {
  /// The size in characters.
  package struct Size: Hashable, Sendable {
    /// Characters in a line, above 0.
    package let columns: Int
    /// Lines; 0 where the terminal does not know.
    package let rows: Int

    /// A size in characters and lines.
    package init(columns: Int, rows: Int) {
      self.columns = columns
      self.rows = rows
    }
  }

  /// Returns true where the descriptor is a terminal. The corresponding C function is `isatty`.
  package static func isTerminal(_ number: Int32) -> Bool { isatty(number) == 1 }

  /// Returns the size; nil where the descriptor is no terminal or its size is unknown.
  package static func size(of number: Int32) -> Size? {
    var window = winsize()
    guard unsafe ioctl(number, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else {
      return nil
    }
    return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  /// Opens the terminal that controls this process; throws where it has none.
  package static func controlling() throws(SystemError) -> Descriptor {
    try Descriptor(opening: "/dev/tty", .readWrite)
  }

  /// Returns true while this process may read from it: a background job would be stopped instead.
  package static func isForeground(_ number: Int32) -> Bool { tcgetpgrp(number) == getpgrp() }

  /// Throws away what was typed and not read. The corresponding C function is `tcflush`.
  package static func discardTypeAhead(_ number: Int32) throws(SystemError) {
    try checked("tcflush") { tcflush(number, TCIFLUSH) }
  }

  /// Throws away what is typed until nothing came for `quiet`, at most for `limit`; in `keyByKey` mode only.
  ///
  /// Returns false where the typing never paused.
  package static func discardTypeAhead(
    _ terminal: borrowing Descriptor, untilQuietFor quiet: Duration, upTo limit: Duration
  ) throws(SystemError) -> Bool {
    let deadline = KernelClock.monotonic.now + limit
    while KernelClock.monotonic.now < deadline {
      try discardTypeAhead(terminal.number)
      if try !terminal.wait(upTo: quiet) { return true }
    }
    return false
  }
}
