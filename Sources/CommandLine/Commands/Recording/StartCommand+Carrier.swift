internal import Control
internal import Linux
internal import Store

extension StartCommand: Carrier {
  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    do throws(Failure) {
      return try begin(arguments, console)
    } catch {
      guard isSoundOutput(arguments), console.isJSON else { throw error }
      console.complain(error.message)
      console.tell(FailureReport(error))
      return SilentReport(exitCode: error.code)
    }
  }

  private static func begin(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    var plan = try plan(arguments)
    if !arguments[foreground], plan.output.path != nil {
      try LifeInBackground.require(
        for: "the recording", remedy: "\"recorder start --foreground\" stays with it")
    }
    try checkOutput(plan)
    let permit = try MicrophoneAccess.permit(
      plan, deny: arguments[deny], noPrompt: arguments[noPrompt], console)
    plan.isAllowedAlone = permit == .thisRunOnly
    if arguments[foreground] || plan.output.path == nil {
      try SessionLauncher.become(plan, flags(arguments))
    }
    let status = try detach(plan, arguments[name] ?? .usual, console)
    for warning in status.warnings { console.warn(Message(printable(warning))) }
    do throws(Failure) {
      try console.print(StartedReport(status: status))
    } catch {
      // The recording runs; a caller that gets a failure would start it again.
      console.warn(error.message)
    }
    return SilentReport(exitCode: .done)
  }

  private static func detach(
    _ plan: RecordingPlan, _ name: SessionName, _ console: Console
  ) throws(Failure) -> RecordingStatus {
    let link = try SessionLink(claiming: true)
    let unread = link.store.result(of: name)
    let missing = MissingDirectory(above: plan.output.path)
    defer { missing?.tell(console) }
    let status = try SessionLauncher.detach(plan, name, link.store.paths)
    if let unread, unread.exit != 0 { console.warn(Message(news(of: unread))) }
    return status
  }

  /// The words for a result that nobody read, and that the next recording of its name replaces.
  private static func news(of result: RecordingResult) -> String {
    "the recording \(quoted(result.name)) before this ended with \(result.exit) "
      + "(\(result.reason.rawValue)), \(result.place); \"recorder takes\" has it"
  }

  /// Throws now if the output file would be refused later.
  private static func checkOutput(_ plan: RecordingPlan) throws(Failure) {
    if plan.output.path == nil, Terminal.isTerminal(StandardStream.output.rawValue) {
      throw Failure(
        .usage,
        Message(
          "stdout is a terminal, which cannot show sound",
          advice: "write \"recorder start - | PROGRAM\", or give the name of a file"))
    }
    let floor = plan.limits.free
    if let path = plan.output.path, let free = FileSystem.freeBytes(above: path), free < floor {
      throw Failure(tooLittleSpace: free, of: floor, for: path)
    }
    guard plan.output.split == nil, let path = plan.output.path,
      let status = try? FileStatus(of: path, following: false)
    else { return }
    if let taken = TakenName(status, replacing: plan.output.replaces) { throw taken.failure(path) }
  }

  private static func flags(_ arguments: Arguments) -> [String] {
    [GlobalOption.json, GlobalOption.quiet].filter { arguments[$0] }.map(\.entry.spelling)
  }
}
