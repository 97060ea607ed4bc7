internal import Linux

/// One run of the program, from its arguments to its exit code.
package struct Shell {
  private let table: CommandTable
  private let carriers: [any Carrier.Type]
  private let otherwise: (Command) throws(Failure) -> Never

  /// The commands that `recorder` carries out without the engine.
  package static let ownCarriers: [any Carrier.Type] =
    [HelpCommand.self, CompletionCommand.self] + RecordingCommands.all + PlayingCommands.all
    + PermissionOverview.carriers

  /// Runs `recorder`, which hands commands that need a sound card or foreign files to the engine.
  package static func runCommand() -> Int32 {
    Shell(table: .standard, carriers: ownCarriers, otherwise: EngineLauncher.become).run().rawValue
  }

  /// Runs `recorder-engine`, which carries out all commands.
  package static func runEngine(_ carriers: [any Carrier.Type]) -> Int32 {
    // Sound servers have their sockets there, and cron does not set it: every command must reach
    // the same servers as `play`.
    Environment.set("XDG_RUNTIME_DIR", to: BaseDirectories.Facts.environment().login)
    let standard = CommandTable.standard
    // The engine has internal commands, which users do not type.
    let inner = carriers.filter { !standard.contains($0.words) }
    return Shell(
      table: standard.adding(inner.definitions), carriers: [HelpCommand.self] + carriers,
      otherwise: Self.refuse
    ).run().rawValue
  }

  private func run() -> ExitCode {
    StandardStream.holdClosed()
    // Without it the mask could keep recorder from its own files.
    CreationMask.spareOwner()
    for signal in [Signal.brokenPipe, .fileTooLarge] { signal.ignore() }
    do throws(Failure) {
      let request = try request()
      let console = Console(request.arguments)
      let report = try report(on: request, console)
      try console.print(report)
      return report.exitCode
    } catch {
      Console().complain(error.message)
      if Self.wantsJSON { try? Console().print(FailureReport(error).encoded) }
      return error.code
    }
  }

  /// True if `--json` was given, also on a command line that cannot be parsed.
  private static var wantsJSON: Bool {
    let words = (Program.arguments ?? []).prefix { $0 != "--" }
    return words.contains(GlobalOption.json.entry.spelling)
  }

  private func request() throws(Failure) -> Request {
    guard !Environment.isElevated else {
      throw Failure(
        .failed, Message("refuses to run setuid or setgid", advice: "remove that bit from its file")
      )
    }
    do throws(UsageError) {
      guard let words = Program.arguments else { throw .notText }
      return try Parser.parse(words, by: table)
    } catch {
      if error == .noCommand { Console().explain(OverviewPage(table: table)) }
      throw Failure(.usage, error.message)
    }
  }

  private func report(on request: Request, _ console: Console) throws(Failure) -> any Report {
    switch request.asked {
    case .version: return VersionReport()
    case .help(let words): return try HelpCommand.report(on: words, table)
    case .run(let command):
      let carrier = carriers.first { $0.words == command.words }
      guard let carrier else { try otherwise(command) }
      return try carrier.carryOut(request.arguments, console)
    }
  }

  /// The failure for a command that this engine does not know because it is older than `recorder`.
  private static func refuse(_ command: Command) throws(Failure) -> Never {
    throw Failure(
      .failed,
      Message(
        "this recorder-engine does not know \(quoted(command.name))",
        advice: EngineLauncher.advice))
  }
}
