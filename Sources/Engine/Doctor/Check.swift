internal import CommandLine

/// One finding about the system and its consequence for recording and playing.
struct Check: Equatable {
  /// The severity of a finding.
  enum Verdict: String {
    case ok
    /// Recording and playing would work, with a restriction.
    case warning
    /// Recording or playing would fail.
    case problem
  }

  let subject: String
  let verdict: Verdict
  /// The finding in words.
  let finding: String
  /// The steps that a user can take, one each.
  let advice: [String]
  /// The exit code of a command that meets this problem.
  let code: ExitCode

  private init(
    _ subject: String, _ verdict: Verdict, _ finding: String, _ advice: [String], _ code: ExitCode
  ) {
    self.subject = subject
    self.verdict = verdict
    self.finding = finding
    self.advice = advice
    self.code = code
  }

  static func ok(_ subject: String, _ finding: String) -> Check {
    Check(subject, .ok, finding, [], .done)
  }

  static func warning(_ subject: String, _ finding: String, _ advice: String...) -> Check {
    Check(subject, .warning, finding, advice, .done)
  }

  static func warning(_ subject: String, _ finding: String, _ advice: [String]) -> Check {
    Check(subject, .warning, finding, advice, .done)
  }

  static func problem(
    _ subject: String, _ finding: String, _ advice: [String], _ code: ExitCode
  ) -> Check {
    Check(subject, .problem, finding, advice, code)
  }

  static func problem(
    _ subject: String, _ finding: String, _ advice: String..., code: ExitCode = .device
  ) -> Check {
    Check(subject, .problem, finding, advice, code)
  }
}
