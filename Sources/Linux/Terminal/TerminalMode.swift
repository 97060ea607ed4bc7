internal import Glibc

/// A terminal in another mode, which is restored at the end of its owner.
package struct TerminalMode: ~Copyable, Sendable {
  /// The form in which typed keys arrive.
  package enum Kind: Sendable {
    /// At once and without echo; Ctrl-C and Ctrl-Z still signal.
    case keyByKey
    /// At once and without echo, every key as its bytes.
    case raw
    /// A line at a time with echo, whatever mode a program before left; keys edit and signal.
    case lines
  }

  private let terminal: Descriptor
  private let original: termios

  /// Changes the mode. The corresponding C function is `tcsetattr`.
  package init(_ kind: Kind, of number: Int32) throws(SystemError) {
    // A descriptor of its own, so that the mode can be restored whoever closes the caller's.
    let terminal = Descriptor(
      owning: try checked("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 0) })
    var settings = termios()
    try checked("tcgetattr") { unsafe tcgetattr(terminal.number, &settings) }
    let original = settings
    settings.apply(kind)
    try Self.set(settings, of: terminal.number)
    self.terminal = terminal
    self.original = original
  }

  deinit { try? Self.set(original, of: terminal.number) }

  // A background job that changes the mode is stopped by SIGTTOU unless it blocks that signal.
  private static func set(_ settings: termios, of number: CInt) throws(SystemError) {
    var settings = settings
    var stopping = sigset_t([Signal(rawValue: SIGTTOU)])
    var before = sigset_t()
    _ = unsafe pthread_sigmask(SIG_BLOCK, &stopping, &before)
    defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try checked("tcsetattr") { unsafe tcsetattr(number, TCSANOW, &settings) }
  }
}

extension termios {
  fileprivate mutating func apply(_ kind: TerminalMode.Kind) {
    switch kind {
    case .raw:
      unsafe cfmakeraw(&self)
    case .lines:
      c_iflag |= tcflag_t(ICRNL)
      c_oflag |= tcflag_t(OPOST | ONLCR)
      c_lflag |= tcflag_t(ICANON | ECHO | ECHOE | ECHOK | ISIG)
    case .keyByKey:
      c_lflag &= ~tcflag_t(ICANON | ECHO)
      c_cc.6 = 1  // VMIN: a read waits for one byte …
      c_cc.5 = 0  // VTIME: … and no longer.
    }
  }
}
