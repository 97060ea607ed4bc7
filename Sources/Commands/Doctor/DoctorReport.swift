internal import JSON

/// The result of one check of the system.
struct Check: Equatable {
  /// The severity of a finding.
  enum Verdict: String {
    /// Nothing is wrong.
    case ok
    /// Recording and playing would work, with a restriction.
    case warning
    /// Recording or playing would fail.
    case problem
  }

  /// The part of the system that was checked.
  let subject: String
  /// The severity.
  let verdict: Verdict
  /// The finding in words.
  let finding: String
  /// The steps that a user can take, one in each element.
  var advice: [String] = []
  /// The exit code of a command that fails because of this problem.
  var code = ExitCode.done

  /// Creates a finding without problems.
  static func ok(_ subject: String, _ finding: String) -> Check {
    Check(subject: subject, verdict: .ok, finding: finding)
  }

  /// Creates a finding that restricts recording or playing.
  static func warning(_ subject: String, _ finding: String, _ advice: [String]) -> Check {
    Check(subject: subject, verdict: .warning, finding: finding, advice: advice)
  }

  /// Creates a finding that makes recording or playing fail.
  static func problem(
    _ subject: String, _ finding: String, _ advice: [String], code: ExitCode = .device
  ) -> Check {
    Check(subject: subject, verdict: .problem, finding: finding, advice: advice, code: code)
  }
}

/// The report of all checks.
struct DoctorReport: Report, Equatable {
  let checks: [Check]
  /// Whether only problems are shown, without warnings.
  let isBrief: Bool

  private var problems: [Check] { checks.filter { $0.verdict == .problem } }

  /// The code of the first problem, or `done` if there is none.
  var exitCode: ExitCode { problems.first?.code ?? .done }

  /// Formats the checks as a table, with a conclusion.
  func text(_ style: Style) -> String {
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
  var json: JSONObject {
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
