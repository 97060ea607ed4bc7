internal import CLinux
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

  /// Whether a shell has made a job of this process; it then takes over the terminal after Ctrl-Z. The
  /// corresponding C function is `getsid`.
  package static var hasJobControl: Bool { getsid(0) != getpgrp() }

  /// Throws away what was typed and not read. The corresponding C function is `tcflush`.
  package static func discardTypeAhead(_ number: Int32) throws(SystemError) {
    try checked("tcflush") { tcflush(number, TCIFLUSH) }
  }

  /// Throws away what is typed until nothing came for `quiet`, at most for `limit`; in `keyByKey`
  /// mode only.
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
    CrashRestoration.keep(original, of: terminal.number)
    self.terminal = terminal
    self.original = original
  }

  deinit {
    CrashRestoration.forget(terminal.number)
    try? Self.set(original, of: terminal.number)
  }

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

/// Restores the terminal where this process crashes, as nothing else would.
///
/// The handler uses plain global memory alone: nothing that allocates may run in it. Then it puts the
/// former handler back, such as that of Swift's backtraces, which gets the signal again.
private enum CrashRestoration {
  private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]

  /// Keeps the mode to restore; the first one counts until `forget` is called with its terminal.
  static func keep(_ mode: termios, of number: CInt) {
    let memory = crashMemory
    guard unsafe memory.terminal.pointee < 0 else { return }
    unsafe memory.mode.pointee = mode
    unsafe memory.terminal.pointee = number
    guard unsafe !memory.isInstalled.pointee else { return }
    unsafe memory.isInstalled.pointee = true
    for signal in signals {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = restore
      action.sa_flags = SA_ONSTACK
      _ = unsafe sigaction(signal, &action, memory.former + Int(signal))
    }
  }

  /// Restores nothing any more; the handler stays, and does what was done before it.
  static func forget(_ number: CInt) {
    let memory = crashMemory
    if unsafe memory.terminal.pointee == number { unsafe memory.terminal.pointee = -1 }
  }
}

/// The facts for the handler: plain memory that is never freed.
///
/// Sendable, because one thread takes over a terminal, and the handler only reads.
@safe private struct CrashMemory: @unchecked Sendable {
  let terminal: UnsafeMutablePointer<CInt>
  let mode: UnsafeMutablePointer<termios>
  /// The former actions by the number of the signal.
  let former: UnsafeMutablePointer<sigaction>
  let isInstalled: UnsafeMutablePointer<Bool>

  init() {
    unsafe terminal = .allocate(capacity: 1)
    unsafe terminal.initialize(to: -1)
    unsafe mode = .allocate(capacity: 1)
    unsafe mode.initialize(to: termios())
    unsafe former = .allocate(capacity: 65)
    unsafe former.initialize(repeating: sigaction(), count: 65)
    unsafe isInstalled = .allocate(capacity: 1)
    unsafe isInstalled.initialize(to: false)
  }
}

// Made by `keep`, before the handler is installed.
private let crashMemory = CrashMemory()

/// Restores the mode, and sends the signal again to whoever handled it before.
private func restore(_ signal: CInt) {
  let memory = crashMemory
  if unsafe memory.terminal.pointee >= 0 {
    // A background job would be stopped here.
    _ = Glibc.signal(SIGTTOU, SIG_IGN)
    _ = unsafe tcsetattr(memory.terminal.pointee, TCSANOW, memory.mode)
  }
  _ = unsafe sigaction(signal, memory.former + Int(signal), nil)
  _ = raise(signal)
}
