internal import Hooks
internal import Linux
internal import Store

/// `delivery`: the process that delivers the files of a series, separate from the recording.
package enum DeliveryCommand: RunnableCommand {
  /// The subcommand that starts the process.
  package static var words: [String] { DeliverCommand.workerWords }

  static let series = Operand<Text>(.one, summary: "Path that the files of the series share")
  static let once = Flag("once", summary: "End with the first file that cannot be delivered")

  /// The description for the parser. No help page lists the command.
  package static var command: Command {
    Command(
      words, section: nil, summary: "Deliver the files of a series", operands: [series],
      options: [OptionGroup("Options", [DeliverCommand.from, once])])
  }

  /// Starts a process that delivers the waiting files of a series, even after this process ends.
  static func start(for series: String) {
    let path = (try? SessionPaths.current())?.deliveries ?? ""
    do throws(SystemError) {
      // The delivery has its own log. If it used this process's stderr, a program that reads that
      // stderr to its end would wait for the delivery, too.
      let log = try ProcessLog(path: path + "/deliveries.log").open()
      try Hook.start(words + ["--", series], log: log.number)
    } catch {
      Console().warn(
        "cannot start the delivery of \(quoted(series)): \(error)",
        advice: "\"recorder deliver\" delivers the waiting files")
    }
  }

  /// Delivers files until none waits or a signal arrives. With `--once`, also ends with the first
  /// file that cannot be delivered.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let store = try DeliverCommand.store(arguments)
    let signals = try Signals([.interrupt, .terminate, .hangUp])
    let series = arguments[Self.series].first?.value ?? ""
    let worker = DeliveryWorker(
      store, series, signals, isPatient: !arguments[once],
      reportWait: { deliverer in
        let process = deliverer.map { "process \($0)" } ?? "another process"
        console.note("waiting for \(process), which is delivering files of \(quoted(series))")
      },
      report: { console.warn("\($0)") })
    try worker.run()
    return SilentReport(exitCode: .done)
  }
}
