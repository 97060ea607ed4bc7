internal import Control
internal import Hooks
internal import Linux
internal import Synchronization

/// A program that runs after each file or at the end of a take. Recordings never wait for it.
enum Hook {
  enum Occasion: String {
    /// A file is complete.
    case segment
    /// The take has ended.
    case stop
  }

  /// The time limit of the program.
  static let limit = Duration.seconds(60)
  /// The number of background processes that have not ended.
  private static let running = Mutex(0)

  /// Starts a program, if the plan names one, with the facts of the result in its environment.
  static func run(_ program: String?, at occasion: Occasion, _ result: RecordingResult) {
    guard let program else { return }
    // A separate process runs the program, and kills it after the time limit, even if the session
    // has ended.
    let environment = TakeVariables.environment(of: result, at: occasion.rawValue)
    do throws(SystemError) {
      try start(HookCommand.words + [program], environment)
    } catch {
      Console().warn("cannot run \(quoted(program)): \(error.errno)")
    }
  }

  /// Starts another process of recorder in the background, with these words as its command.
  ///
  /// - Parameter log: the descriptor for its stderr, or nil to discard that output.
  static func start(
    _ words: [String], _ environment: [String] = Environment.all,
    log: Int32? = StandardStream.error.rawValue
  ) throws(SystemError) {
    var spawn = Spawn("/proc/self/exe", words, environment: environment)
    spawn.startsSession = true
    spawn.descriptors = [nil, nil, log]
    let child = Handoff(try spawn.start())
    running.withLock { $0 += 1 }
    // Without a wait, the child would stay a zombie until the session ends.
    _ = try Thread("hook") {
      _ = try? child.take()?.wait()
      running.withLock { $0 -= 1 }
    }
  }

  /// Waits up to 63 s for the hooks and deliveries of this process if they would end together with
  /// it, for example in a container.
  static func awaitAll() {
    guard ProcessLife.current() != nil else { return }
    // The process of each hook kills the user's program after `limit`. A delivery may take longer.
    // If a delivery is interrupted, the next delivery continues with the remaining files.
    let deadline = KernelClock.monotonic.now + limit + .seconds(3)
    while running.withLock({ $0 > 0 }), KernelClock.monotonic.now < deadline {
      KernelClock.sleep(.milliseconds(20))
    }
  }
}

/// `hook`: the process that a session starts to run a user's program. It can outlive the session,
/// and ends when the program has ended.
package enum HookCommand: RunnableCommand {
  /// The subcommand that starts the process.
  package static var words: [String] { ["hook"] }

  static let program = Operand<FilePath>(.one, summary: "Program to run")
  static let limit = Option<Duration>("limit", summary: "Longest time that it may run")

  /// The description for the parser. No help page lists the command.
  package static var command: Command {
    Command(
      words, section: nil, summary: "Run a program with a time limit", operands: [program],
      options: [OptionGroup("Options", [limit])])
  }

  /// Runs the program and waits for its end. Kills the program after the time limit. Reports any
  /// end other than success and then exits with a failure.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let path = arguments[program].first?.text ?? ""
    let limit = arguments[limit] ?? Hook.limit
    let program = UserProgram(path: path, environment: Environment.all, limit: limit)
    let ending = try Failure.context("cannot run \(quoted(path))") { try program.run() }
    if ending == .success { return SilentReport(exitCode: .done) }
    console.complain(Message(program.words(ending)))
    return SilentReport(exitCode: .failed)
  }
}
