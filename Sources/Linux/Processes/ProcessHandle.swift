internal import CLinux
internal import Glibc

/// A child process; it continues by itself if its owner is gone without a wait, and one that has
/// ended by then leaves nothing behind.
package struct ChildProcess: ~Copyable, Sendable {
  /// The way in which a process ended.
  package enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(Signal)
  }

  /// Its process number, and that of its session where it leads one.
  package let identifier: Int32
  /// Readable once it has ended.
  package let descriptor: Descriptor
  private var isReaped = false

  // The number cannot be used again before we wait for it, so this opens our child and no other.
  init(started process: pid_t) throws(SystemError) {
    do {
      descriptor = Descriptor(owning: try checked("pidfd_open") { pidfd_of(process) })
    } catch {
      kill(process, SIGKILL)
      _ = waitpid(process, nil, 0)
      throw error
    }
    identifier = process
  }

  deinit {
    guard !isReaped else { return }
    var facts = unsafe siginfo_t()
    _ = unsafe waitid(P_PIDFD, id_t(descriptor.number), &facts, WEXITED | WNOHANG)
  }

  /// Sends it a signal, which reaches no other process even after it has ended.
  package func send(_ signal: Signal) throws(SystemError) {
    try checked("pidfd_send_signal", "\(identifier)") {
      pidfd_signal(descriptor.number, signal.rawValue)
    }
  }

  /// Waits until it has ended. The corresponding C function is `waitpid`.
  package consuming func wait() throws(SystemError) -> Ending {
    var status = CInt()
    isReaped = true
    try checked("waitpid", "\(identifier)") { unsafe waitpid(identifier, &status, 0) }
    return Ending(status: status)
  }

  /// Returns true once it has ended, waiting at most `limit`; `wait` then returns at once.
  package func hasEnded(within limit: Duration = .zero) throws(SystemError) -> Bool {
    try descriptor.wait(upTo: limit)
  }
}

extension ChildProcess.Ending {
  // The macros of <sys/wait.h> are not imported.
  init(status: CInt) {
    let signal = status & 0x7F
    self = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(Signal(rawValue: signal))
  }
}

/// A process that somebody else started; calls and signals reach it alone, even after its number
/// went to another.
package struct OtherProcess: ~Copyable, Sendable {
  /// The process's number.
  package let identifier: Int32
  /// Readable once it has ended.
  package let descriptor: Descriptor

  /// Opens the process that has the number now.
  package init(_ identifier: Int32) throws(SystemError) {
    self.identifier = identifier
    descriptor = Descriptor(
      owning: try checked("pidfd_open", "\(identifier)") { pidfd_of(identifier) })
  }

  /// Returns the user who owns it; a process that has ended belongs to nobody.
  package func owner() throws(SystemError) -> UInt32 {
    try FileStatus(of: "/proc/\(identifier)").owner
  }

  /// Returns the time of its start, in clock ticks since the machine booted.
  package func started() throws(SystemError) -> Int64 {
    try ThreadFacts(of: "/proc/\(identifier)").started
  }

  /// Whether it has ended, or the kernel is ending all of its threads. Such a process runs no
  /// instruction any more, but keeps its locks and sockets until its memory is released.
  package var isEnding: Bool {
    if (try? descriptor.wait(upTo: .zero)) != false { return true }
    let tasks = "/proc/\(identifier)/task"
    guard let threads = try? Directory(tasks).names() else { return true }
    // A thread whose facts cannot be read any more has ended.
    return threads.allSatisfy { (try? ThreadFacts(of: tasks + "/" + $0))?.isEnding ?? true }
  }

  /// Sends it a signal.
  package func send(_ signal: Signal) throws(SystemError) {
    try checked("pidfd_send_signal", "\(identifier)") {
      pidfd_signal(descriptor.number, signal.rawValue)
    }
  }
}

/// The facts about a thread, or about the first one of a process, from its `stat` file in /proc.
package struct ThreadFacts: Hashable, Sendable {
  /// The time of its start, in clock ticks since the machine booted.
  package let started: Int64
  /// Whether it has ended, is about to end, or is going to be killed.
  package let isEnding: Bool

  /// PF_EXITING in linux/sched.h.
  private static let exiting: UInt64 = 0x4
  private static let killed: UInt64 = 1 << UInt64(SIGKILL - 1)

  /// Parses the content of a `stat` file; nil if a field is missing. proc(5) numbers the fields: 3 is
  /// the state, 9 the flags, 22 the time of the start, 31 the pending signals.
  package init?(_ stat: [UInt8]) {
    // The name of the program may hold anything, but nothing behind it holds a parenthesis.
    let facts = stat.split(separator: UInt8(ascii: ")")).last ?? []
    let words = facts.split(separator: UInt8(ascii: " ")).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard words.count > 28, let started = Int64(words[19]), let flags = UInt64(words[6]),
      let pending = UInt64(words[28])
    else { return nil }
    self.started = started
    isEnding =
      ["Z", "X", "x"].contains(words[0]) || flags & Self.exiting != 0 || pending & Self.killed != 0
  }

  fileprivate init(of directory: String) throws(SystemError) {
    let path = directory + "/stat"
    let bytes = try Descriptor(opening: path).readAll(upTo: 4_096)
    guard let facts = ThreadFacts(bytes) else {
      throw SystemError("read", path, errno: .inputOutput)
    }
    self = facts
  }
}
