internal import CLinux
internal import Glibc

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
