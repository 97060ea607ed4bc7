internal import Linux
internal import PipeWire

/// The programs of the connections to the sound server.
///
/// A program is examined again when a fact from the server changes, when its process executes
/// another file, and regularly. A known program stays known for a moment if an examination fails,
/// because the kernel and the server do not report a closed connection at the same time. Without a
/// change, a program that was never known is examined only a few times, because an examination
/// takes long: it needs the list of all sockets.
struct GuardedPrograms {
  /// The facts of the server that an examination depends on. The names of a client do not count:
  /// the client can change them at any time, and an examination takes long.
  private struct Facts: Hashable {
    let serial: String
    let process: Int32?
    let claimedProcess: Int32?
    /// The number of connections that claim the same process behind the same relay.
    let claims: Int
  }

  private struct Found {
    let program: RunningProgram?
    var facts: Facts?
    /// The executable of its process, or nil if it cannot be read.
    let executable: FileStatus?
    /// The start of its process, or nil if it cannot be read.
    let started: Int64?
    let examinations: Int
    /// Whether this unknown program was known before.
    let wasKnown: Bool
    /// The time until which this program stays known after a failed examination, or nil if none
    /// failed.
    var respite: Duration?
    var isCurrent = true

    var isKnown: Bool { program?.identity.identifier != nil || program == nil }

    /// Whether regular examinations are necessary. The server itself needs none.
    var isRegular: Bool { isKnown ? program != nil : wasKnown }

    /// Whether its process still executes the same file. The start of the process is compared only
    /// if it can be read, because the guard may be unable to open more files.
    var hasSameProcess: Bool {
      guard let process, let executable, let current = GuardedPrograms.executable(of: process),
        executable.isSameFile(as: current)
      else { return false }
      let start = GuardedPrograms.start(of: process)
      return start == nil || start == started
    }

    /// Returns whether the result is still valid for these facts and the current executable.
    func isCurrent(with facts: Facts?) -> Bool {
      guard isKnown else { return examinations >= GuardedPrograms.most && self.facts == facts }
      // If the executable cannot be read, the process is ending. Its connection ends as well, or
      // the next regular examination finds that the process has ended.
      guard let current = GuardedPrograms.executable(of: process) else { return true }
      return self.facts == facts && executable?.isSameFile(as: current) == true
    }

    private var process: Int32? { program?.process ?? facts?.process }
  }

  private var found: [UInt32: Found] = [:]
  /// The time of the last regular examination of all known programs.
  private var examined = Duration.zero

  /// The process of a connection when the connection was first seen.
  private struct Process {
    /// The serial number of the connection.
    let serial: String
    /// The start of the process, in clock ticks since the boot, or nil if it had ended already.
    let started: Int64?
  }

  private var processes: [UInt32: Process] = [:]

  /// The maximum number of examinations of an unknown program with the same facts.
  private static let most = 3
  /// The time between two regular examinations. No event reports that a process executes another
  /// file, or that it closes its connection to pipewire-pulse.
  private static let pause = Duration.seconds(10)
  /// The time for which a program stays known although an examination failed.
  private static let respite = Duration.seconds(1)

  /// The time of the next examination if the graph does not change earlier, or nil if none is
  /// necessary.
  var deadline: Duration? {
    let regular = found.values.contains { $0.isRegular } ? examined + Self.pause : nil
    let failed = found.values.compactMap { $0.isCurrent ? $0.respite : nil }
    return (failed + [regular].compactMap(\.self)).min()
  }

  /// Returns the program of a connection, or nil for the server itself. Calls `examine` for a new
  /// connection, and again after `follow` has found that this is necessary.
  ///
  /// - Parameter examine: examines the program. It receives the process that was found for this
  ///   connection earlier, or nil if there is none.
  mutating func program(
    of connection: UInt32, in graph: Graph, at now: Duration = KernelClock.monotonic.now,
    _ examine: (Int32?) -> RunningProgram?
  ) -> RunningProgram? {
    let former = found[connection]
    if let former, former.isCurrent { return former.program }
    let facts = Self.facts(connection, graph)
    let isRepeated = former?.isKnown == false && former?.facts == facts
    let count = isRepeated ? former?.examinations ?? 0 : 0
    let process = graph.clients[connection]?.process
    let known = former.flatMap { $0.isKnown && $0.hasSameProcess ? $0 : nil }
    var program = examine(known?.program?.process)
    let number = program?.process ?? process
    let (executable, started) = (Self.executable(of: number), number.flatMap(Self.start))
    // The number of a process that has ended may already belong to another process.
    if let process, processes[connection]?.started != Self.start(of: process) {
      program = RunningProgram(process, unknown: .ended)
    }
    var result = Found(
      program: program, facts: facts, executable: executable, started: started,
      examinations: count + 1, wasKnown: former.map { $0.isKnown || $0.wasKnown } ?? false)
    if !result.isKnown, let known, known.respite.map({ now < $0 }) ?? true {
      result = known
      result.facts = facts
      result.respite = known.respite ?? now + Self.respite
      result.isCurrent = true
    }
    found[connection] = result
    return result.program
  }

  /// Follows a change of the graph: forgets the connections that have ended, stores the start of
  /// each new process, and decides which programs must be examined again.
  mutating func follow(_ graph: Graph, at now: Duration = KernelClock.monotonic.now) {
    for (connection, client) in graph.clients {
      guard processes[connection]?.serial.isSameName(as: client.serial) != true else { continue }
      let started = client.process.flatMap(Self.start)
      processes[connection] = Process(serial: client.serial, started: started)
    }
    processes = processes.filter { graph.clients[$0.key] != nil }
    // The server reuses the numbers of connections, but never their serial numbers.
    found = found.filter { connection, former in
      guard let serial = graph.clients[connection]?.serial else { return false }
      return former.facts?.serial.isSameName(as: serial) == true
    }
    let isDue = now >= examined + Self.pause
    if isDue { examined = now }
    for (connection, former) in found {
      let mustExamine = isDue && former.isRegular || former.respite.map { now >= $0 } ?? false
      found[connection]?.isCurrent =
        !mustExamine && former.isCurrent(with: Self.facts(connection, graph))
    }
  }

  private static func executable(of process: Int32?) -> FileStatus? {
    process.flatMap { try? FileStatus(of: "/proc/\($0)/exe") }
  }

  private static func start(of process: Int32) -> Int64? {
    try? OtherProcess(process).started()
  }

  private static func facts(_ connection: UInt32, _ graph: Graph) -> Facts? {
    guard let client = graph.clients[connection] else { return nil }
    return Facts(
      serial: client.serial, process: client.process, claimedProcess: client.claimedProcess,
      claims: graph.claims(like: client))
  }
}
