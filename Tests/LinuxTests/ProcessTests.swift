import Glibc
import Linux
import Support
import Testing

@Suite("Processes start with a clean state")
struct ProcessTests {
  @Test("A child has only the descriptors that it is given")
  func descriptors() throws {
    // Not dup2, because another test may use the number.
    let leak = fcntl(0, F_DUPFD, 57)
    defer { close(leak) }
    let outcome = try Tool.run("ls", ["/proc/self/fd"])
    #expect(outcome.outputText == "0\n1\n2\n3\n")
    #expect(fcntl(leak, F_GETFD) == 0, "the leak must be one that exec keeps")
  }

  @Test(
    "The facts of a thread say whether it is ending or stopped",
    arguments: [
      ("S", 0x40_0140, 0, false), ("R", 0x40_0144, 0, true), ("Z", 0x40_0140, 0, true),
      ("D", 0x40_0140, 0x100, true), ("D", 0x40_0140, 0x4000, false), ("T", 0x40_0140, 0, false),
    ])
  func threadFacts(state: String, flags: Int, pending: Int, isEnding: Bool) throws {
    let stat =
      "7 (a) b (c) \(state) 1 7 7 0 -1 \(flags) 1 2 3 4 5 6 7 8 20 0 9 0 4711 1000 100 "
      + "18446744073709551615 1 1 0 0 0 \(pending) 0 4096 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    let facts = try #require(ThreadFacts(Array(stat.utf8)))
    #expect(facts.started == 4_711 && facts.isEnding == isEnding)
    #expect(facts.isStopped == (state == "T"))
    #expect(ThreadFacts(Array("7 (a) S 1".utf8)) == nil)
  }

  @Test("A zombie is ending, and a running process is not")
  func ending() throws {
    let isEnding = try OtherProcess(getpid()).isEnding
    #expect(!isEnding)
    let child = try Spawn("/bin/true", []).start()
    let other = try OtherProcess(child.identifier)
    let (hasEnded, isOver) = (try child.descriptor.wait(upTo: .seconds(10)), other.isEnding)
    #expect(hasEnded && isOver)
    _ = try child.wait()
  }

  @Test("A child has no signal blocked or ignored")
  func signals() throws {
    let outcome = try Tool.run("grep", ["-E", "^Sig(Blk|Ign):", "/proc/self/status"])
    let masks = outcome.outputText.split(whereSeparator: ":\t\n".contains)
      .compactMap { UInt64($0, radix: 16) }
    // glibc's posix_spawn ignores its own two signals, 32 and 33, until the child's glibc starts.
    #expect(masks.map { $0 & ~0x1_8000_0000 } == [0, 0])
  }

  @Test("Descriptors are placed correctly even if their numbers cross")
  func crossing() throws {
    let (out, err) = (try Collected(), try Collected())
    var spawn = Spawn("/bin/sh", ["-c", "echo out; echo err >&2; readlink /proc/self/fd/0 >&2"])
    spawn.descriptors = [nil, out.end, err.end]
    let child = try spawn.start()
    #expect(try child.wait() == .exited(0))
    #expect(try out.text() == "out\n")
    #expect(try err.text() == "err\n/dev/null\n")
  }

  @Test("A child that has ended leaves no zombie")
  func dropped() throws {
    let number: Int32
    do {
      let child = try Spawn("/bin/true").start()
      number = child.identifier
      let hasEnded = try child.hasEnded(within: .seconds(30))
      #expect(hasEnded)
    }
    #expect(waitpid(number, nil, WNOHANG) == -1)
  }

  @Test("A child has a session, a directory and an environment of its own")
  func session() throws {
    let scratch = try ScratchDirectory()
    let outcome = try Tool.run(
      "sh", ["-c", "pwd; echo $GIVEN; test $(cut -d' ' -f6 /proc/$$/stat) = $$ && echo leads"],
      environment: ["GIVEN": "a b"], directory: scratch.path)
    #expect(outcome.outputText == "\(scratch.path)\na b\nleads\n")
  }

  @Test(
    "The ending of a child is reported",
    arguments: [
      ("exit 3", ChildProcess.Ending.exited(3)), ("kill -TERM $$", .killed(.terminate)),
    ])
  func endings(script: String, ending: ChildProcess.Ending) throws {
    #expect(try Tool.run("sh", ["-c", script]).ending == ending)
  }

  @Test("Only a regular file with the right to execute it is a program")
  func executables() throws {
    let scratch = try ScratchDirectory()
    #expect(!FileSystem.mayExecute(scratch.path("missing")))
    let path = try scratch.write("", to: "program")
    try #require(chmod(path, 0o600) == 0)
    #expect(!FileSystem.mayExecute(path))
    try #require(chmod(path, 0o700) == 0)
    #expect(FileSystem.mayExecute(path))
    #expect(!FileSystem.mayExecute(scratch.path))
  }

  @Test("A missing program is an error of the start")
  func missing() throws {
    let scratch = try ScratchDirectory()
    let absent = scratch.path + "/absent"
    let error = #expect(throws: SystemError.self) { _ = try Spawn(absent).start() }
    #expect(error == SystemError("posix_spawn", absent, errno: .noSuchFile))
  }

  @Test("A child can be watched, signalled and waited for")
  func handle() throws {
    let child = try Spawn("/bin/sleep", ["60"]).start()
    #expect(try !child.hasEnded())
    try child.send(.kill)
    #expect(try child.hasEnded(within: .seconds(10)))
    #expect(try child.wait() == .killed(.kill))
  }

  @Test("A process can become another program")
  func replacing() async {
    await #expect(processExitsWith: .exitCode(7)) {
      Signal.brokenPipe.ignore()
      try Spawn(
        "/bin/sh", ["-c", "grep -q 'SigIgn:.*[08]0000000$' /proc/self/status && exit 7"]
      ).replaceProcess()
    }
  }

  @Test("Signals are read as values")
  func signalValues() async {
    await #expect(processExitsWith: .success) {
      let signals = try Signals([.user1, .terminate])
      #expect(signals.next() == nil)
      raise(SIGUSR1)
      #expect(try signals.descriptor.wait(upTo: .seconds(5)))
      #expect(signals.next() == .user1)
      #expect(signals.next() == nil)
    }
  }

  @Test("A released signal has its previous effect again, even if it is pending")
  func releasedSignals() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      // The threads that run tests have every signal blocked.
      var none = sigset_t()
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, nil)
      let signals = try Signals([.terminate])
      raise(SIGTERM)
      signals.release()
    }
  }

  @Test("A test's tool neither hangs on a pipe held by a grandchild nor runs past its limit")
  func tools() throws {
    let start = KernelClock.monotonic.now
    #expect(try Tool.run("sh", ["-c", "sleep 60 & echo hi"]).outputText == "hi\n")
    #expect(try Tool.run("sleep", ["60"], limit: .milliseconds(50)).timedOut)
    #expect(KernelClock.monotonic.now - start < .seconds(20))
    let much = [UInt8](repeating: 65, count: 1 << 20)
    #expect(try Tool.run("cat", input: much).output == much)
  }

  /// A pipe whose writing end is given to a child.
  private final class Collected {
    private let pipe: Pipe

    init() throws { pipe = try Descriptor.pipe() }

    var end: Int32 { pipe.writing.number }

    func text() throws -> String {
      var buffer = [UInt8](repeating: 0, count: 4096)
      return String(decoding: buffer[..<(try pipe.reading.read(into: &buffer))], as: UTF8.self)
    }
  }
}
