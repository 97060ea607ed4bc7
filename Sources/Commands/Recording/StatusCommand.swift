internal import Control
internal import Linux

/// The command `status`, which lists the running recordings.
enum StatusCommand: RunnableCommand {
  static var words: [String] { ["status"] }

  private static let name = Operand<SessionName>(
    .optional, summary: "Name of one recording (default: all)")
  private static let prometheus = Flag("prometheus", summary: "Print the text format of Prometheus")
  private static let watch = Flag(
    "watch", short: "w", summary: "Update continuously, with meters, until q or Ctrl-C")

  static var command: Command {
    Command(
      words, section: .recording, summary: "Show running recordings",
      details: [
        "Shows all recordings of this user, and the interrupted ones, which \"recorder recover\" "
          + "saves. If nothing is being recorded, shows for ten minutes how the last recording ended. If "
          + "there is nothing to show about NAME, the command fails. With --watch, shows the level of each channel, and "
          + "the written, lost and clipped audio; "
          + "if stdout is not a terminal, prints a line of JSON for each change.",
        "With --quiet, prints nothing, and exits with 0 while something is being recorded and with 10 "
          + "otherwise.",
      ],
      operands: [name],
      options: [OptionGroup("Options", [watch, prometheus])],
      examples: [
        Example("recorder status", "Show running recordings"),
        Example("recorder status --watch", "Watch them, with meters"),
        Example("recorder status --json", "Print them as JSON"),
        Example("recorder status --quiet", "Ask in a script"),
      ],
      ends: [.notFound])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let sessions = try SessionClient()
    let name = arguments[name].first
    if arguments[prometheus] {
      if arguments[watch] || console.isJSON || name != nil {
        throw Failure(
          .usage, "--prometheus cannot be combined with --watch, --json or the name of a recording")
      }
      return PrometheusPage(report: statusReport(sessions, console))
    }
    guard arguments[watch] else {
      var report = statusReport(sessions, console)
      if let name { report.narrow(to: name.text) }
      if console.isQuiet, !console.isJSON {
        return SilentReport(exitCode: report.isIdle ? .notFound : .done)
      }
      if let name, report.isEmpty { throw sessions.absent(name) }
      return report
    }
    if name != nil {
      throw Failure(.usage, "--watch shows all recordings; remove the name")
    }
    if console.isQuiet, !console.isJSON {
      throw Failure(.usage, "--watch shows the recordings, but --quiet prints nothing")
    }
    try watch(sessions, console)
    return SilentReport(exitCode: .done)
  }

  /// Shows the recordings until the user or the reader of the pipe ends the watch.
  private static func watch(_ sessions: SessionClient, _ console: Console) throws {
    let isDrawn =
      Terminal.isTerminal(StandardStream.output.rawValue) && !console.isJSON
    let screen = isDrawn ? try WatchScreen() : nil
    let updates = StatusWatch(sessions, screen)
    var pages = StatusPage()
    _ = try hasReader {
      while screen?.isOver() != true {
        let report = try updates.next()
        if let screen {
          try screen.draw(pages.page(report, at: KernelClock.monotonic.now), console.style)
        } else {
          try StandardStream.output.write(report.encoded)
        }
      }
    }
  }

  private static func statusReport(_ sessions: SessionClient, _ console: Console) -> StatusReport {
    var report = sessions.statusReport(console)
    report.deliveries = sessions.store.deliveries(console)
    if report.isEmpty { report.lately = sessions.lately() }
    return report
  }
}
