internal import CLinux
internal import Glibc

/// A program to run, either as a child process or by replacing this program.
///
/// A child has no blocked or ignored signals, and gets only the descriptors that are passed to it.
package struct Spawn: Sendable {
  /// The path of the executable; PATH is not searched.
  package var executable: String
  /// The arguments after the first, which is `executable`.
  package var arguments: [String]
  /// Variables as `NAME=value`.
  package var environment: [String]
  /// This program's descriptors that become 0, 1, 2 … in the child. nil means /dev/null.
  package var descriptors: [Int32?] = [0, 1, 2]
  /// Whether the child leaves the terminal and leads a new POSIX session.
  package var startsSession = false
  /// The child's working directory, or nil for the directory of this process.
  package var directory: String?

  /// Creates a program to run. By default the child gets the environment of this program.
  package init(
    _ executable: String, _ arguments: [String] = [],
    environment: [String] = Environment.all
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
  }

  /// Returns a program that processes untrusted files. It runs in a new POSIX session, and without
  /// this program's environment variables.
  ///
  /// Backtraces are turned off. Otherwise, after a crash, the runtime of a debug build would try to
  /// start programs that a confined process may not start, and would never end.
  package static func isolated(_ executable: String, _ arguments: [String]) -> Spawn {
    var spawn = Spawn(executable, arguments, environment: ["SWIFT_BACKTRACE=enable=no"])
    spawn.startsSession = true
    return spawn
  }

  /// Starts the child. Throws if the program cannot be executed. The C function is `posix_spawn`.
  package func start() throws(SystemError) -> ChildProcess {
    try refuseNULs()
    var lifted = LiftedDescriptors()
    for number in descriptors { try lifted.append(number, above: descriptors.count) }
    return try ChildProcess(started: try start(passing: lifted))
  }

  private func start(passing lifted: borrowing LiftedDescriptors) throws(SystemError) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    try requireZero("posix_spawn", unsafe posix_spawn_file_actions_init(&actions))
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    try unsafe assign(lifted.numbers, by: &actions)
    var attributes = posix_spawnattr_t()
    try requireZero("posix_spawn", unsafe posix_spawnattr_init(&attributes))
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    try configure(&attributes)
    var process = pid_t()
    let code = unsafe withVectors { arguments, environment in
      unsafe posix_spawn(&process, executable, &actions, &attributes, arguments, environment)
    }
    try requireZero("posix_spawn", on: executable, code)
    return process
  }

  private func assign(
    _ lifted: [CInt?], by actions: inout posix_spawn_file_actions_t
  ) throws(SystemError) {
    for (target, number) in lifted.enumerated() {
      let target = CInt(target)
      if let number {
        let code = unsafe posix_spawn_file_actions_adddup2(&actions, number, target)
        try requireZero("posix_spawn_file_actions_adddup2", code)
      } else {
        let code = unsafe posix_spawn_file_actions_addopen(
          &actions, target, "/dev/null", O_RDWR, 0)
        try requireZero("posix_spawn_file_actions_addopen", code)
      }
    }
    let first = CInt(lifted.count)
    let closing = unsafe posix_spawn_file_actions_addclosefrom_np(&actions, first)
    try requireZero("posix_spawn_file_actions_addclosefrom_np", closing)
    guard let directory else { return }
    try refuseNUL("chdir", directory)
    let moving = unsafe posix_spawn_file_actions_addchdir_np(&actions, directory)
    try requireZero("posix_spawn_file_actions_addchdir_np", on: directory, moving)
  }

  private func configure(_ attributes: inout posix_spawnattr_t) throws(SystemError) {
    var all = sigset_t()
    unsafe sigfillset(&all)
    var none = sigset_t([])
    let session = startsSession ? CInt(spawn_new_session) : 0
    let flags = CInt(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | session
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    let code = unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    try requireZero("posix_spawnattr_setflags", code)
  }
}

/// Copies of the descriptors to pass. Their numbers are above all numbers used in the child, so
/// that moving a copy to its final number cannot overwrite another copy.
private struct LiftedDescriptors: ~Copyable {
  private(set) var numbers: [CInt?] = []

  deinit { for number in numbers.compactMap(\.self) { close(number) } }

  mutating func append(_ number: CInt?, above count: Int) throws(SystemError) {
    guard let number else { return numbers.append(nil) }
    numbers.append(
      try checked("fcntl", "\(number)") { fcntl(number, F_DUPFD_CLOEXEC, CInt(count)) })
  }
}

extension Spawn {
  /// Replaces this process with the program, or throws an error. The corresponding C function is
  /// `execve`.
  ///
  /// The properties `descriptors`, `startsSession` and `directory` have no effect here. The program
  /// keeps the descriptors, the POSIX session and the directory of this process.
  package func replaceProcess() throws(SystemError) -> Never {
    try refuseNULs()
    for signal in [Signal.brokenPipe, .fileTooLarge] { signal.restoreDefault() }
    var none = sigset_t([])
    _ = unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    _ = unsafe withVectors { unsafe execve(executable, $0, $1) }
    throw SystemError("execve", executable, errno: .last)
  }

  private func refuseNULs() throws(SystemError) {
    for text in [executable] + arguments + environment { try refuseNUL("execve", text) }
  }

  /// Calls a C function with the argument and environment vectors.
  private func withVectors(_ body: (StringVector.Pointer, StringVector.Pointer) -> CInt) -> CInt {
    let arguments = StringVector([executable] + arguments)
    let environment = StringVector(environment)
    return unsafe body(arguments.pointer, environment.pointer)
  }
}

extension Spawn {
  /// Runs the program to its end without input, and returns its standard output. The exit code is
  /// not reported, because a failed program writes no useful output.
  package func output(
    atMost most: Int, within limit: Duration? = nil, passing more: [Int32] = []
  ) throws(SystemError) -> [UInt8] {
    try run(reading: 1, atMost: most, within: limit, passing: more).output
  }

  /// Runs the program to its end without input. Returns its ending, or nil if the ending is
  /// unknown. Also returns the output of the program on `stream`, which is 1 or 2. `more` are the
  /// descriptors that the program gets as 3, 4 and so on.
  ///
  /// Throws `timedOut` if the output does not end within `limit`, or the program does not end
  /// within `limit` after its output. Throws `tooLarge` if there are more than `most` bytes. In
  /// each case the program is killed.
  package func run(
    reading stream: Int, atMost most: Int, within limit: Duration?, passing more: [Int32] = []
  ) throws(SystemError) -> (ending: ChildProcess.Ending?, output: [UInt8]) {
    let ends = try Descriptor.pipe()
    var spawn = self
    spawn.descriptors = [nil, nil, nil] + more
    spawn.descriptors[stream] = ends.writing.number
    let child = try spawn.start()
    _ = consume ends.writing
    let reading = ends.reading
    let result = Result { () throws(SystemError) in
      let output = try reading.readAll(upTo: most, within: limit)
      guard try child.descriptor.wait(upTo: limit) else {
        throw SystemError("waitpid", errno: .timedOut)
      }
      return output
    }
    if case .failure = result { try? child.send(.kill) }
    // The wait fails if the host program ignores SIGCHLD.
    let ending = try? child.wait()
    return (ending, try result.get())
  }
}
