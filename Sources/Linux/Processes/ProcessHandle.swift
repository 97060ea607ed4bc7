internal import CLinux
internal import Glibc

/// A child process. If this value is destroyed without `wait`, a running child continues, and a
/// child that has ended is reaped.
package struct ChildProcess: ~Copyable, Sendable {
  /// The end of a process.
  package enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(Signal)
  }

  /// The process number. It is also the number of the POSIX session if the process leads one.
  package let identifier: Int32
  /// Readable once the process has ended.
  package let descriptor: Descriptor
  private var isReaped = false

  // The kernel does not reuse the number before this process waits for the child. So `pidfd_open`
  // always opens the child.
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

  /// Sends the child a signal. The signal never reaches another process, even if the child has
  /// ended.
  package func send(_ signal: Signal) throws(SystemError) {
    try checked("pidfd_send_signal", "\(identifier)") {
      pidfd_signal(descriptor.number, signal.rawValue)
    }
  }

  /// Waits until the process has ended. The corresponding C function is `waitpid`.
  package consuming func wait() throws(SystemError) -> Ending {
    var status = CInt()
    isReaped = true
    try checked("waitpid", "\(identifier)") { unsafe waitpid(identifier, &status, 0) }
    return Ending(status: status)
  }

  /// Waits for at most `limit`, and returns whether the process has ended. If it has ended, `wait`
  /// returns immediately.
  package func hasEnded(within limit: Duration = .zero) throws(SystemError) -> Bool {
    try descriptor.wait(upTo: limit)
  }
}

extension ChildProcess.Ending {
  // Swift does not import the macros of <sys/wait.h>.
  init(status: CInt) {
    let signal = status & 0x7F
    self = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(Signal(rawValue: signal))
  }
}

/// A process that is not necessarily a child of this process. A signal reaches only the opened
/// process, even if its number was reused. The other facts are read from /proc by the number, and
/// can belong to a later process.
package struct OtherProcess: ~Copyable, Sendable {
  /// The process number.
  package let identifier: Int32
  /// Readable once the process has ended.
  package let descriptor: Descriptor

  /// Opens the process that has the number at this time.
  package init(_ identifier: Int32) throws(SystemError) {
    self.identifier = identifier
    descriptor = Descriptor(
      owning: try checked("pidfd_open", "\(identifier)") { pidfd_of(identifier) })
  }

  /// Returns the user who owns the process. Throws if no process has the number any more.
  package func owner() throws(SystemError) -> UInt32 {
    try FileStatus(of: "/proc/\(identifier)").owner
  }

  /// Returns the start time, in clock ticks since the machine booted.
  package func started() throws(SystemError) -> Int64 {
    try ThreadFacts(of: "/proc/\(identifier)").started
  }

  /// Whether the process has ended, or the kernel is ending all of its threads. In the second case,
  /// the process executes nothing more, but keeps its locks and sockets until its memory is
  /// released.
  package var isEnding: Bool {
    if (try? descriptor.wait(upTo: .zero)) != false { return true }
    let tasks = "/proc/\(identifier)/task"
    guard let threads = try? Directory(tasks).names() else { return true }
    // A thread whose facts can no longer be read has ended.
    return threads.allSatisfy { (try? ThreadFacts(of: tasks + "/" + $0))?.isEnding ?? true }
  }

  /// Whether the process is stopped. A stopped process handles only SIGKILL and SIGCONT.
  package var isStopped: Bool {
    (try? ThreadFacts(of: "/proc/\(identifier)").isStopped) ?? false
  }

  /// Sends the process a signal.
  package func send(_ signal: Signal) throws(SystemError) {
    try checked("pidfd_send_signal", "\(identifier)") {
      pidfd_signal(descriptor.number, signal.rawValue)
    }
  }
}

/// Facts about a thread, or about the first thread of a process, from its `stat` file in /proc.
package struct ThreadFacts: Hashable, Sendable {
  /// The start time, in clock ticks since the machine booted.
  package let started: Int64
  /// Whether the thread has ended, is about to end, or is about to be killed.
  package let isEnding: Bool
  /// Whether the thread was stopped by a signal.
  package let isStopped: Bool

  /// PF_EXITING of linux/sched.h.
  private static let exiting: UInt64 = 0x4
  private static let killed: UInt64 = 1 << UInt64(SIGKILL - 1)

  /// Parses the content of a `stat` file. Returns nil if a field is missing. The numbers of the
  /// fields in proc(5) are 3 for the state, 9 for the flags, 22 for the start time and 31 for the
  /// pending signals.
  package init?(_ stat: [UInt8]) {
    // The name of the program may contain any character, but no later field contains a parenthesis.
    let facts = stat.split(separator: UInt8(ascii: ")")).last ?? []
    let words = facts.split(separator: UInt8(ascii: " ")).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard words.count > 28, let started = Int64(words[19]), let flags = UInt64(words[6]),
      let pending = UInt64(words[28])
    else { return nil }
    self.started = started
    isStopped = words[0] == "T"
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
