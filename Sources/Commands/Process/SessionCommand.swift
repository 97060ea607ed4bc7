internal import Audio
internal import Control
internal import Linux
internal import Takes

/// `session`: the process that `start` runs. Users do not type it.
package enum SessionCommand: RunnableCommand {
  /// The subcommand that starts the session.
  package static var words: [String] { ["session"] }

  static let foreground = Flag("foreground", summary: "Stay in the terminal")
  static let job = Flag("job", summary: "Leave the terminal when the parent process asks")

  /// The description for the parser. No help page lists the command.
  package static var command: Command {
    Command(
      words, section: nil, summary: "Record by the plan on descriptor 3",
      options: [OptionGroup("Options", [foreground, job])])
  }

  /// Records by the plan on descriptor 3. In the background, this function does not return: it ends
  /// the process.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let signals = try stoppingSignals(
      isForeground: arguments[foreground], isJob: arguments[job])
    let connection = Descriptor(owning: 3)
    let plan = try StartChannel.plan(from: connection)
    guard arguments[foreground] else { try detach(plan, signals, connection, console) }
    return try show(plan, signals, arguments, console)
  }

  /// Blocks the signals before any thread starts, because threads inherit the mask.
  private static func stoppingSignals(isForeground: Bool, isJob: Bool) throws -> StopSignals {
    // For a job, the parent process handles Ctrl-Z for both processes.
    if isJob { Signal.terminalStop.ignore() }
    let terminal: [Signal] = isJob ? [.leave, .resume] : isForeground ? [.terminalStop] : []
    let signals = try Signals([.interrupt, .terminate, .quit, .hangUp] + terminal)
    return StopSignals(signals, isForeground: isForeground)
  }

  private static func detach(
    _ plan: RecordingPlan, _ signals: StopSignals, _ connection: consuming Descriptor,
    _ console: Console
  ) throws -> Never {
    let channel = StartChannel(connection)
    do {
      let host = SessionProcess(console, nil, channel)
      let result = try SessionStart(plan, host, unless: signals).begin().run()
      // `exit` is not used, because a thread may be in a library call that never returns.
      Program.end(result.exit)
    } catch {
      let failure = Failure(explaining: error)
      channel.refuse(failure)
      console.complain(failure.message)
      Program.end(failure.code.rawValue)
    }
  }

  private static func show(
    _ plan: RecordingPlan, _ signals: StopSignals, _ arguments: Arguments,
    _ console: Console
  ) throws -> any Report {
    let screen = LiveScreen(
      isQuiet: arguments[GlobalOption.quiet], hint: .recording(isJob: arguments[job]))
    let isSoundOutput = plan.output.path == nil
    defer { screen.clear() }
    return try console.reportingToStderr(if: isSoundOutput) {
      let process = SessionProcess(console, screen, nil, signals)
      let start = try SessionStart(plan, process, unless: signals)
      let missing = MissingDirectory(above: plan.output.path)
      let session = try start.begin()
      missing?.report(to: console)
      if isSoundOutput, Terminal.isTerminal(StandardStream.error.rawValue) {
        let take = session.controller.take
        console.note(whatFlows(take.output, take.plan.output.format))
      }
      let report = RecordingReport(try session.run())
      screen.clear()
      let result: any Report = isSoundOutput ? reported(report, console) : report
      // stdout is closed first, so that the program that reads the audio does not wait for the
      // hooks.
      if isSoundOutput { _ = Descriptor(owning: StandardStream.output.rawValue) }
      Hook.awaitAll()
      // After Ctrl-Z, this process may be in the background. If another command has waited for the
      // end of the recording, that command prints the result.
      let output = StandardStream.output.rawValue
      if session.controller.isAwaited, Terminal.isTerminal(output), !Terminal.isForeground(output) {
        return SilentReport(exitCode: report.exitCode)
      }
      return result
    }
  }

  /// Reports the result on stderr, because stdout carries only the audio.
  private static func reported(_ report: RecordingReport, _ console: Console) -> any Report {
    if !console.isJSON { for line in report.lines { console.note(line) } }
    return console.aside(report)
  }

  /// Returns the note about the sound on stdout.
  static func whatFlows(_ stream: StreamFormat, _ format: FileFormat) -> String {
    "\(stream) is written to stdout, "
      + (format == .raw ? "without a header; --format wav adds one" : "as \(format)")
  }
}
