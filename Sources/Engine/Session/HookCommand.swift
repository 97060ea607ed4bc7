package import CommandLine
internal import Linux

/// `hook`: the process that a session starts to run a user's program; it outlives the session, and
/// the program does not outlive it.
package enum HookCommand: Carrier {
  /// The word that a session starts the process with.
  package static var words: [String] { ["hook"] }

  static let program = Operand<FilePath>(.one, summary: "The program")
  static let limit = Option<Duration>("limit", summary: "How long it may run")

  /// The command for the engine's parser; no help page lists it.
  package static var command: Command {
    Command(
      words, section: .recording, summary: "Run a program, for so long at most",
      operands: [program], options: [OptionGroup("Options", [limit])],
      examples: [Example("recorder start --on-stop PROGRAM", "Runs it")])
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
