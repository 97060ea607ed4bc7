internal import Audio
package import CommandLine
internal import Control
internal import JSON
internal import Linux
internal import Synchronization

/// A user's program that runs after a file or at the end of a take; no recording ever waits for it.
struct Hook {
  enum Occasion: String {
    /// A file is complete.
    case segment
    /// The take has ended.
    case stop
  }

  let occasion: Occasion
  let program: String

  /// The longest time that it may run.
  static let limit = Duration.seconds(60)
  /// The number of hooks that have not ended.
  private static let running = Mutex(0)

  /// Nil where the plan names no program for the occasion.
  init?(_ occasion: Occasion, of plan: RecordingPlan) {
    let program = occasion == .segment ? plan.onSegment : plan.onStop
    guard let program else { return nil }
    self.occasion = occasion
    self.program = program
  }

  /// Starts the program, with the facts of the result in its environment.
  func run(_ result: RecordingResult) {
    // In a process of its own, which ends the program in time even after the session has ended.
    var spawn = Spawn("/proc/self/exe", ["hook", program])
    spawn.environment = environment(result)
    spawn.startsSession = true
    spawn.descriptors = [nil, nil, StandardStream.error.rawValue]
    do throws(SystemError) {
      let child = Handoff(try spawn.start())
      Self.running.withLock { $0 += 1 }
      // A child that is not waited for stays in the process list for as long as the session.
      _ = try Thread("hook") {
        _ = try? child.take()?.wait()
        Self.running.withLock { $0 -= 1 }
      }
    } catch {
      Console().warn(Message("cannot run \(quoted(program)): \(error.errno)"))
    }
  }

  /// Waits for the hooks that would end with this process, as in a container that ends with it.
  static func awaitAll() {
    guard ProcessLife.current() != nil else { return }
    // The guardian of each ends it in time.
    let deadline = KernelClock.monotonic.now + limit + .seconds(3)
    while running.withLock({ $0 > 0 }), KernelClock.monotonic.now < deadline {
      KernelClock.sleep(.milliseconds(20))
    }
  }

  /// The session's environment, except variables that change how programs are loaded, with the
  /// facts added.
  private func environment(_ result: RecordingResult) -> [String] {
    let own = Environment.all.filter { !$0.hasPrefix("LD_") && !$0.hasPrefix("RECORDER_TAKE_") }
    return own + facts(result).map { "RECORDER_TAKE_\($0.name)=\($0.value)" }
  }

  private func facts(_ result: RecordingResult) -> [(name: String, value: String)] {
    let facts: [(name: String, value: String?)] = [
      ("EVENT", occasion.rawValue), ("ID", result.identifier), ("NAME", result.name),
      ("PATH", result.path), ("SIDECAR", result.sidecar), ("REASON", result.reason.rawValue),
      ("EXIT", "\(result.exit)"), ("MESSAGE", result.message), ("FORMAT", result.format.rawValue),
      ("BEGAN", WallTime(sinceEpoch: result.began).rfc3339),
      ("SECONDS", "\(result.duration / .seconds(1))"), ("BYTES", "\(result.bytes)"),
      ("FRAMES", "\(result.frames.onDisk.value)"), ("LOST", "\(result.frames.lost.value)"),
      ("SEGMENT", "\(result.segment ?? 1)"),
    ]
    // A NUL would end a variable early.
    return facts.compactMap { fact in
      fact.value.map {
        (fact.name, String($0.unicodeScalars.filter { $0.value != 0 }.map(Character.init)))
      }
    }
  }
}

/// `hook`: the process that a session starts to run a user's program; it outlives the session, and
/// the program does not outlive it.
package enum HookCommand: RunnableCommand {
  /// The word that a session starts the process with.
  package static var words: [String] { ["hook"] }

  static let program = Operand<FilePath>(.one, summary: "Program to run")
  static let limit = Option<Duration>("limit", summary: "Longest time that it may run")

  /// The command for the engine's parser; no help page lists it.
  package static var command: Command {
    Command(
      internal: words, summary: "Run a program with a time limit", operands: [program],
      options: [limit])
  }

  /// The time that a program has to end after SIGTERM.
  private static var grace: Duration { .seconds(2) }

  /// Runs the program and waits for its end; kills it and throws after the limit.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let path = arguments[program].first?.text ?? ""
    var spawn = Spawn(path, [], environment: Environment.all)
    spawn.startsSession = true
    // Its output goes to the output of the session.
    spawn.descriptors = [nil, nil, StandardStream.error.rawValue]
    let limit = arguments[limit] ?? Hook.limit
    do throws(SystemError) {
      let child = try spawn.start()
      guard try child.hasEnded(within: limit) else {
        try end(child)
        _ = try child.wait()
        throw SystemError("run", path, errno: .timedOut)
      }
      let ending = try child.wait()
      guard ending == .exited(0) else {
        console.complain(Message("\(quoted(path)) ended with \(words(ending))"))
        return SilentReport(exitCode: .failed)
      }
      return SilentReport(exitCode: .done)
    } catch {
      let why =
        error.errno == .timedOut
        ? "\(quoted(path)) was ended, because it ran for longer than \(limit.components.seconds) s"
        : "cannot run \(quoted(path)): \(error.errno)"
      throw Failure(.failed, Message(why))
    }
  }

  /// Ends the program and the processes that it has started.
  private static func end(_ child: borrowing ChildProcess) throws(SystemError) {
    try? Signal.terminate.send(to: -child.identifier)
    _ = try child.hasEnded(within: grace)
    try? Signal.kill.send(to: -child.identifier)
  }

  private static func words(_ ending: ChildProcess.Ending) -> String {
    switch ending {
    case .exited(let code): "exit code \(code)"
    case .killed(let signal): "signal \(signal.rawValue)"
    }
  }
}
