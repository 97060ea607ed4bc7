internal import CLinux
internal import Glibc

/// A signal by its number.
package struct Signal: RawRepresentable, Hashable, Sendable {
  /// The number of `<signal.h>`.
  package let rawValue: CInt

  /// A signal by its number.
  package init(rawValue: CInt) { self.rawValue = rawValue }

  /// SIGINT: Ctrl-C.
  package static let interrupt = Signal(rawValue: SIGINT)
  /// SIGTERM: the usual order to end.
  package static let terminate = Signal(rawValue: SIGTERM)
  /// SIGQUIT: Ctrl-\.
  package static let quit = Signal(rawValue: SIGQUIT)
  /// SIGHUP: the terminal was closed.
  package static let hangUp = Signal(rawValue: SIGHUP)
  /// SIGKILL, which no process can catch.
  package static let kill = Signal(rawValue: SIGKILL)
  /// SIGSTOP, which no process can catch.
  package static let stop = Signal(rawValue: SIGSTOP)
  /// SIGTSTP: Ctrl-Z.
  package static let terminalStop = Signal(rawValue: SIGTSTP)
  /// SIGCHLD: a child has ended or stopped.
  package static let child = Signal(rawValue: SIGCHLD)
  /// SIGPIPE: a write to a closed pipe or socket.
  package static let brokenPipe = Signal(rawValue: SIGPIPE)
  /// SIGXFSZ: a write past the limit of a file's size.
  package static let fileTooLarge = Signal(rawValue: SIGXFSZ)
  /// SIGXCPU: the limit of processor time was reached.
  package static let tooMuchTime = Signal(rawValue: SIGXCPU)
  /// SIGWINCH: the terminal's window has another size.
  package static let windowChange = Signal(rawValue: SIGWINCH)
  /// SIGCONT: continues a stopped process.
  package static let resume = Signal(rawValue: SIGCONT)
  /// SIGURG, which does nothing by default: the request to a session to leave the terminal.
  package static let leave = Signal(rawValue: SIGURG)
  /// SIGUSR1, free for the program's own use.
  package static let user1 = Signal(rawValue: SIGUSR1)

  /// Lets the process continue through a signal, and what it starts by `exec` too.
  ///
  /// For `brokenPipe` a write to a closed pipe then answers an error, and for `fileTooLarge`
  /// a write past the limit does.
  package func ignore() { _ = Glibc.signal(rawValue, SIG_IGN) }

  /// Makes it do again what it does by default.
  package func restoreDefault() { _ = Glibc.signal(rawValue, SIG_DFL) }

  /// Does the signal's default in this thread: ends the process, or stops it until it is continued.
  package func obey() {
    var (set, before) = (sigset_t([self]), sigset_t())
    // Blocked until it is pending, so that nothing else takes it first.
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
    _ = pthread_kill(pthread_self(), rawValue)
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Sends it to a process. The corresponding C function is `kill`.
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

/// Signals read as values instead of interrupting. The corresponding C function is `signalfd`.
///
/// Made before any thread starts, because a thread inherits its blocked signals, and one that does
/// not block them would run their default.
package struct Signals: ~Copyable, Sendable {
  /// Readable while a signal waits.
  package let descriptor: Descriptor
  private let before: sigset_t

  /// A signal that arrived.
  package struct Arrival: Hashable, Sendable {
    /// The signal that arrived.
    package let signal: Signal
    /// The process that sent it; 0 where the kernel did.
    package let sender: Int32

    /// An arrival of `signal` from the process `sender`.
    package init(_ signal: Signal, from sender: Int32) {
      self.signal = signal
      self.sender = sender
    }
  }

  /// Blocks `signals` in this thread and those that it starts, and collects them from now on.
  package init(_ signals: [Signal]) throws(SystemError) {
    var set = sigset_t(signals)
    var before = sigset_t()
    try requireZero("pthread_sigmask", unsafe pthread_sigmask(SIG_BLOCK, &set, &before))
    let flags = CInt(SFD_CLOEXEC | SFD_NONBLOCK)
    let number = try checked("signalfd") { unsafe signalfd(-1, &set, flags) }
    self.before = before
    descriptor = Descriptor(owning: number)
  }

  /// Restores the signals' former effect; a pending one has it at once.
  package consuming func release() {
    var before = before
    _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Takes the next signal, or nil where none waits.
  package func next() -> Arrival? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard unsafe read(descriptor.number, &info, size) == size else { return nil }
    return Arrival(
      Signal(rawValue: CInt(info.ssi_signo)), from: Int32(bitPattern: info.ssi_pid))
  }
}
