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
      internal: words, summary: "Deliver the files of a series", operands: [series],
      options: [DeliverCommand.from, once])
  }

  /// Starts a process that delivers the waiting files of a series. It can outlive this process.
  static func start(for series: String) {
    let path = (try? SessionPaths.current())?.deliveries ?? ""
    do throws(SystemError) {
      // The delivery has its own log. It may run for longer than this process, and another program
      // may wait for the end of this process's stderr.
      let log = try ProcessLog(path: path + "/deliveries.log").open()
      try Hook.start(words + ["--", series], log: log.number)
    } catch {
      Console().warn(
        Message(
          "cannot start the delivery of \(quoted(series)): \(error)",
          advice: "\"recorder deliver\" delivers the waiting files"))
    }
  }

  /// Delivers files until none waits or a signal arrives.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws -> any Report {
    let store = try DeliverCommand.store(arguments)
    let signals = try Signals([.interrupt, .terminate, .hangUp])
    let worker = DeliveryWorker(
      store, arguments[series].first?.value ?? "", signals, isPatient: !arguments[once],
      words: \.words, report: { console.warn(Message($0.words)) })
    try worker.run()
    return SilentReport(exitCode: .done)
  }
}

extension DeliveryFault {
  /// The fault as a sentence.
  var words: String {
    switch self {
    case .program(let program, let ending, let said, let file):
      program.words(ending) + (said.map { ": " + $0 } ?? "") + " (\(quoted(file)))"
    case .changed(let file): "\(quoted(file)) was changed while it was delivered"
    case .unreadable(let file, let why): "cannot read \(quoted(file)): \(why); is its disk mounted?"
    case .gone(let file): "\(quoted(file)) is missing, so it was not delivered"
    case .system(let file, let cause): "cannot deliver \(quoted(file)): \(cause)"
    case .busy(let series): "another process has been delivering \(quoted(series)) for an hour"
    case .unknown(let cause): "cannot read the waiting deliveries: \(cause)"
    case .unnoted(let cause): "cannot store that a file was delivered: \(cause)"
    }
  }
}

extension UserProgram {
  /// Describes the end of a run in a sentence.
  func words(_ ending: Ending) -> String {
    switch ending {
    case .ended(.exited(let code)): "\(quoted(path)) ended with exit code \(code)"
    case .ended(.killed(let signal)): "\(quoted(path)) ended with signal \(signal.rawValue)"
    case .tookTooLong:
      "\(quoted(path)) was stopped, because it ran for longer than \(limit.components.seconds) s"
    case .interrupted: "\(quoted(path)) was stopped before it was done"
    }
  }
}
