internal import Control
internal import Linux

extension StartCommand: Carrier {
  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    var plan = try plan(arguments)
    try checkOutput(plan)
    let permit = try StartPermission.permit(
      plan, deny: arguments[deny], noPrompt: arguments[noPrompt], console)
    plan.isAllowedAlone = permit == .thisRunOnly
    if arguments[foreground] || plan.output.path == nil {
      try SessionLauncher.become(plan, flags(arguments))
    }
    let link = try SessionLink()
    let status = try SessionLauncher.detach(
      plan, arguments[name] ?? .usual, link.shelf.places)
    for warning in status.warnings { console.warn(Message(printable(warning))) }
    do throws(Failure) {
      try console.print(StartedReport(status: status))
    } catch {
      // It records; a caller that was told of a failure would begin again.
      console.warn(error.message)
    }
    return SilentReport(exitCode: .done)
  }

  /// What would refuse the file later is told now.
  private static func checkOutput(_ plan: RecordingPlan) throws(Failure) {
    try DiskFloor.check(plan.output.path, leaving: plan.limits.free)
    guard let path = plan.output.path,
      let status = try? FileStatus(of: path, following: false)
    else { return }
    guard plan.output.replaces, status.kind == .regular else {
      let isFile = status.kind == .regular
      throw Failure(
        .outputRefused,
        Message(
          "cannot record to", on: path, why: isFile ? "the file exists" : "it is not a file",
          advice: isFile ? "give another name, or --force to replace it" : "give another name"))
    }
  }

  private static func flags(_ arguments: Arguments) -> [String] {
    [GlobalOption.json, GlobalOption.quiet].filter { arguments[$0] }.map(\.entry.spelling)
  }
}
