internal import CLinux
internal import Glibc

/// The terminal of a descriptor.
package enum Terminal {
  /// The size in characters.
  package struct Size: Hashable, Sendable {
    /// The number of characters in a line, above 0.
    package let columns: Int
    /// The number of lines, or 0 if the terminal does not report it.
    package let rows: Int
  }

  /// Returns true if the descriptor is a terminal. The corresponding C function is `isatty`.
  package static func isTerminal(_ number: Int32) -> Bool { isatty(number) == 1 }

  /// Returns the size, or nil if the descriptor is not a terminal or its size is unknown.
  package static func size(of number: Int32) -> Size? {
    var window = winsize()
    guard unsafe ioctl(number, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else {
      return nil
    }
    return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  /// Opens the controlling terminal of this process. Throws if there is none.
  package static func controlling() throws(SystemError) -> Descriptor {
    try Descriptor(opening: "/dev/tty", .readWrite)
  }

  /// Returns true if this process is in the foreground of the terminal and may read from it. A
  /// background job would be stopped by the read.
  package static func isForeground(_ number: Int32) -> Bool { tcgetpgrp(number) == getpgrp() }

  /// Returns whether another process is in the same POSIX session as this process, so that both
  /// have the same terminal. The corresponding C function is `getsid`.
  package static func isShared(with process: Int32) -> Bool { getsid(process) == getsid(0) }

  /// Whether a shell runs this process as a job. Such a shell takes over the terminal after Ctrl-Z.
  /// The corresponding C function is `getsid`.
  package static var hasJobControl: Bool { getsid(0) != getpgrp() }

  /// Discards typed input that has not been read. The corresponding C function is `tcflush`.
  package static func discardTypeAhead(_ number: Int32) throws(SystemError) {
    try checked("tcflush") { tcflush(number, TCIFLUSH) }
  }

  /// Discards typed input until nothing has been typed for `quiet`, but for at most `limit`. This
  /// works only in a terminal mode in which keys arrive immediately.
  ///
  /// Returns false if the user did not stop typing within `limit`.
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

/// A temporary terminal mode. The original mode is restored when the value is destroyed.
package struct TerminalMode: ~Copyable, Sendable {
  /// The kinds of terminal modes.
  package enum Kind: Sendable {
    /// Keys arrive immediately and without echo. Ctrl-C and Ctrl-Z still send signals.
    case keyByKey
    /// Keys arrive immediately and without echo. All keys arrive as bytes, even Ctrl-C and Ctrl-Z.
    case raw
    /// Input arrives line by line with echo, even if an earlier program left another mode. Keys can
    /// edit the line and send signals.
    case lines
  }

  private let terminal: Descriptor
  private let original: termios

  /// Changes the mode. The corresponding C function is `tcsetattr`.
  package init(_ kind: Kind, of number: Int32) throws(SystemError) {
    // A separate descriptor, so that the mode can be restored even if the caller's descriptor is
    // closed.
    let terminal = Descriptor(owning: try checked("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, 0) })
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

  // SIGTTOU stops a background job that changes the mode, unless the signal is blocked.
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

/// Restores the terminal if this process crashes. A crash does not run `deinit`.
///
/// The handler restores the mode, installs the previous handler again, such as Swift's backtrace
/// handler, and raises the signal again. It uses only plain global memory, because it must not
/// allocate.
private enum CrashRestoration {
  private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]

  /// Stores the mode to restore. Does nothing if a mode is already stored. `forget` with the same
  /// descriptor removes the stored mode.
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

  /// Stops restoring the terminal. The handler stays installed, but only passes the signal to the
  /// previous handler.
  static func forget(_ number: CInt) {
    let memory = crashMemory
    if unsafe memory.terminal.pointee == number { unsafe memory.terminal.pointee = -1 }
  }
}

/// The data for the handler, in plain memory that is never freed.
///
/// It is Sendable, because only one thread changes the mode of a terminal, and the handler only
/// reads this memory.
@safe private struct CrashMemory: @unchecked Sendable {
  let terminal: UnsafeMutablePointer<CInt>
  let mode: UnsafeMutablePointer<termios>
  /// The previous actions by signal number.
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

// Created by `keep`, before the handler is installed.
private let crashMemory = CrashMemory()

/// Restores the mode, and sends the signal again to the previous handler.
private func restore(_ signal: CInt) {
  let memory = crashMemory
  if unsafe memory.terminal.pointee >= 0 {
    // Without this, the kernel would stop a background job here.
    _ = Glibc.signal(SIGTTOU, SIG_IGN)
    _ = unsafe tcsetattr(memory.terminal.pointee, TCSANOW, memory.mode)
  }
  _ = unsafe sigaction(signal, memory.former + Int(signal), nil)
  _ = raise(signal)
}
