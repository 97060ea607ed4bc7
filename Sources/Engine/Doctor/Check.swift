internal import CommandLine

/// One thing that was looked at, and what it means for recording and playing.
struct Check: Equatable {
  /// How good it is.
  enum Verdict: String {
    case ok
    /// Something is less than it could be, but it would work.
    case warning
    /// It would not work.
    case problem
  }

  let subject: String
  let verdict: Verdict
  /// What was found.
  let finding: String
  /// What the user can do about it, one thing each.
  let advice: [String]
  /// What a command that meets this problem exits with.
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
