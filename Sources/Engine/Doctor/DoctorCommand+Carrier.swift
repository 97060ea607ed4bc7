package import CommandLine

extension DoctorCommand: Carrier {
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    DoctorReport(checks: Machine.current().checks, isBrief: arguments[GlobalOption.quiet])
  }
}
