package import CommandLine
internal import Control
internal import Linux
internal import Permission
internal import Takes

extension MeterCommand: RunnableCommand {
  /// Measures until a signal, a key or the loss of microphone access, and leaves the terminal as it
  /// was.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let plan = try permittedPlan(arguments, console)
    let signals: StopSignals
    do throws(SystemError) {
      signals = StopSignals(
        try Signals([.interrupt, .terminate, .quit, .hangUp, .terminalStop]), isForeground: true)
    } catch {
      throw Failure(.failed, Message("cannot wait for signals: \(error)"))
    }
    guard let session = SessionID(plan.recording.identifier) else {
      throw Failure(.usage, Message("the run has no name"))
    }
    let guardian = try explained { () throws(TakeError) in
      try PermissionGuard(plan.recording, session)
    }
    let presence = try explained { () throws(TakeError) in try MeterPresence(plan.recording) }
    // Called after the presence is published: an earlier refusal is found here, and a later one
    // waits until the meter ends.
    try explained { () throws(TakeError) in try guardian.consume(for: session) }
    let meter: LiveMeter
    do throws(TakeError) {
      meter = try LiveMeter(plan.recording, upTo: plan.duration, guardian, unless: signals)
    } catch {
      close(guardian, session, console)
      if signals.hasCome { return SilentReport(exitCode: .done) }
      throw Failure(error)
    }
    defer { close(guardian, session, console) }
    try explained { () throws(TakeError) in try guardian.tellStart() }
    if let failure = guardian.unaudited { console.warn(Message(failure.startWarning)) }
    let loop = MeterLoop(
      plan, meter, guardian, presence, signals, console, isQuiet: arguments[GlobalOption.quiet])
    return try loop.run()
  }

  private static func close(_ guardian: PermissionGuard, _ session: SessionID, _ console: Console) {
    if let failure = guardian.end(session) { console.warn(Message(failure.endWarning)) }
  }
}
