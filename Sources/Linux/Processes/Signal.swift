internal import CLinux
internal import Glibc

/// A signal, identified by its number.
package struct Signal: RawRepresentable, Hashable, Sendable {
  /// The number in `<signal.h>`.
  package let rawValue: CInt

  /// Creates a signal from its number.
  package init(rawValue: CInt) { self.rawValue = rawValue }

  /// SIGINT: Ctrl-C.
  package static let interrupt = Signal(rawValue: SIGINT)
  /// SIGTERM: the usual request to end.
  package static let terminate = Signal(rawValue: SIGTERM)
  /// SIGQUIT: Ctrl-\.
  package static let quit = Signal(rawValue: SIGQUIT)
  /// SIGHUP: the terminal was closed.
  package static let hangUp = Signal(rawValue: SIGHUP)
  /// SIGKILL, which no process can catch.
  package static let kill = Signal(rawValue: SIGKILL)
  /// SIGTSTP: Ctrl-Z.
  package static let terminalStop = Signal(rawValue: SIGTSTP)
  /// SIGPIPE: a write to a closed pipe or socket.
  package static let brokenPipe = Signal(rawValue: SIGPIPE)
  /// SIGXFSZ: a write past the file size limit.
  package static let fileTooLarge = Signal(rawValue: SIGXFSZ)
  /// SIGXCPU: the limit on processor time was reached.
  package static let tooMuchTime = Signal(rawValue: SIGXCPU)
  /// SIGWINCH: the size of the terminal window changed.
  package static let windowChange = Signal(rawValue: SIGWINCH)
  /// SIGCONT: continues a stopped process.
  package static let resume = Signal(rawValue: SIGCONT)
  /// SIGURG: the request to a session to leave the terminal. By default, the signal has no effect.
  package static let leave = Signal(rawValue: SIGURG)
  /// SIGUSR1, free for the program's own use.
  package static let user1 = Signal(rawValue: SIGUSR1)

  /// Ignores the signal in this process, and in programs that it starts by `exec`.
  ///
  /// If `brokenPipe` is ignored, a write to a closed pipe returns an error. If `fileTooLarge` is
  /// ignored, a write past the limit returns an error.
  package func ignore() { _ = Glibc.signal(rawValue, SIG_IGN) }

  /// Restores the default effect of the signal.
  package func restoreDefault() { _ = Glibc.signal(rawValue, SIG_DFL) }

  /// Delivers the signal to this thread, even if the signal is blocked. By default, the signal ends
  /// the process, or stops the process until SIGCONT. An ignored signal has no effect.
  package func obey() {
    var (set, before) = (sigset_t([self]), sigset_t())
    // The signal is blocked until it is pending, so that nothing else receives it first.
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
    _ = pthread_kill(pthread_self(), rawValue)
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Sends the signal to a process. The corresponding C function is `kill`.
  package func send(to process: Int32) throws(SystemError) {
    try checked("kill", "\(process)") { Glibc.kill(process, rawValue) }
  }
}

extension sigset_t {
  init(_ signals: [Signal]) {
    self.init()
    unsafe sigemptyset(&self)
    for signal in signals { unsafe sigaddset(&self, signal.rawValue) }
  }
}

/// Signals that are read from a descriptor and do not interrupt a thread. The corresponding C
/// function is `signalfd`.
///
/// Create this value before any thread starts, because a new thread blocks the same signals as its
/// creator. A signal that another thread does not block would have its default effect.
package struct Signals: ~Copyable, Sendable {
  /// Readable while a signal is waiting.
  package let descriptor: Descriptor
  private let before: sigset_t

  /// Blocks `signals` in this thread and in threads that it starts, and collects these signals.
  package init(_ signals: [Signal]) throws(SystemError) {
    var set = sigset_t(signals)
    var before = sigset_t()
    try requireZero("pthread_sigmask", unsafe pthread_sigmask(SIG_BLOCK, &set, &before))
    let flags = CInt(SFD_CLOEXEC | SFD_NONBLOCK)
    let number = try checked("signalfd") { unsafe signalfd(-1, &set, flags) }
    self.before = before
    descriptor = Descriptor(owning: number)
  }

  /// Restores the previous signal mask of this thread. A pending signal then takes effect
  /// immediately.
  package consuming func release() {
    var before = before
    _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Returns the next signal, or nil if none is waiting.
  package func next() -> Signal? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard unsafe read(descriptor.number, &info, size) == size else { return nil }
    return Signal(rawValue: CInt(info.ssi_signo))
  }
}
