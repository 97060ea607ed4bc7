package import CommandLine

extension DoctorCommand: Carrier {
  /// Reads this machine and checks it; a problem is part of the report and not thrown.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    DoctorReport(checks: Machine.current().checks, isBrief: arguments[GlobalOption.quiet])
  }
}
