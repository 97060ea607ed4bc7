package import JSON

/// One finding about the system and its consequence for recording and playing.
package struct Check: Equatable {
  /// The severity of a finding.
  package enum Verdict: String {
    /// Nothing is wrong.
    case ok
    /// Recording and playing would work, with a restriction.
    case warning
    /// Recording or playing would fail.
    case problem
  }

  /// The part of the system that was checked.
  package let subject: String
  /// The severity.
  package let verdict: Verdict
  /// The finding in words.
  package let finding: String
  /// The steps that a user can take, one each.
  package let advice: [String]
  /// The exit code of a command that fails because of this problem.
  package let code: ExitCode

  private init(
    _ subject: String, _ verdict: Verdict, _ finding: String, _ advice: [String], _ code: ExitCode
  ) {
    self.subject = subject
    self.verdict = verdict
    self.finding = finding
    self.advice = advice
    self.code = code
  }

  /// Creates a finding without problems.
  package static func ok(_ subject: String, _ finding: String) -> Check {
    Check(subject, .ok, finding, [], .done)
  }

  /// Creates a finding that restricts recording or playing.
  package static func warning(_ subject: String, _ finding: String, _ advice: String...) -> Check {
    Check(subject, .warning, finding, advice, .done)
  }

  /// Creates a finding that restricts recording or playing.
  package static func warning(_ subject: String, _ finding: String, _ advice: [String]) -> Check {
    Check(subject, .warning, finding, advice, .done)
  }

  /// Creates a finding that makes recording or playing fail.
  package static func problem(
    _ subject: String, _ finding: String, _ advice: [String], _ code: ExitCode
  ) -> Check {
    Check(subject, .problem, finding, advice, code)
  }

  /// Creates a finding that makes recording or playing fail.
  package static func problem(
    _ subject: String, _ finding: String, _ advice: String..., code: ExitCode = .device
  ) -> Check {
    Check(subject, .problem, finding, advice, code)
  }
}

/// The report of all checks.
package struct DoctorReport: Report, Equatable {
  private let checks: [Check]
  /// Whether only problems are shown, without warnings.
  private let isBrief: Bool

  /// Creates the report of `checks`.
  package init(checks: [Check], isBrief: Bool) {
    self.checks = checks
    self.isBrief = isBrief
  }

  private var problems: [Check] { checks.filter { $0.verdict == .problem } }

  /// The code of the first problem, or `done` if there is none.
  package var exitCode: ExitCode { problems.first?.code ?? .done }

  /// Formats the checks as a table, with a conclusion.
  package func text(_ style: Style) -> String {
    let shown = isBrief ? problems : checks
    let blocks = shown.map { text($0, style) }.joined()
    return shown.isEmpty ? "" : blocks + "\n" + paragraph(conclusion)
  }

  private var conclusion: String {
    let subjects = alternatives(problems.map(\.subject), "and")
    if !subjects.isEmpty { return "Sound does not work here yet: see \(subjects)." }
    let warned = checks.contains { $0.verdict == .warning }
    return warned ? "Sound works here, with the warnings above." : "Sound works here."
  }

  /// Formats the verdict, the subject and the finding in three columns, with the advice below the
  /// finding. In a narrow terminal, the finding is below the subject.
  private func text(_ check: Check, _ style: Style) -> String {
    let (verdictWidth, subjectWidth) = (9, 14)
    let margin = String(repeating: " ", count: isNarrow ? 2 : verdictWidth + subjectWidth)
    let width = textWidth - margin.count
    let advice = check.advice.flatMap { advice in
      wrapped(advice, width: width - 3).enumerated().map { ($0 == 0 ? "-> " : "   ") + $1 }
    }
    let lines = wrapped(check.finding, width: width) + advice
    let gap = String(repeating: " ", count: verdictWidth - check.verdict.rawValue.count)
    let head =
      mark(check.verdict, style) + gap
      + (isNarrow ? check.subject + "\n" + margin : cell(check.subject, width: subjectWidth))
    return head + lines.joined(separator: "\n" + margin) + "\n"
  }

  private func mark(_ verdict: Check.Verdict, _ style: Style) -> String {
    switch verdict {
    case .ok: style.good(verdict.rawValue)
    case .warning: style.warning(verdict.rawValue)
    case .problem: style.bad(verdict.rawValue)
    }
  }
}

extension DoctorReport {
  /// The checks as an object.
  package var json: JSONObject {
    ["works": .bool(problems.isEmpty), "checks": .array(checks.map(json))]
  }

  private func json(_ check: Check) -> JSONValue {
    [
      "subject": .string(check.subject),
      "verdict": .string(check.verdict.rawValue),
      "finding": .string(check.finding),
      "advice": check.advice.json,
    ]
  }
}
