package import CommandLine
internal import JSON

/// The report of all checks.
struct DoctorReport: Report, Equatable {
  let checks: [Check]
  /// True to show problems only, and no warnings.
  let isBrief: Bool

  private var problems: [Check] { checks.filter { $0.verdict == .problem } }

  var exitCode: ExitCode { problems.first?.code ?? .done }

  func text(_ style: Style) -> String {
    let shown = isBrief ? problems : checks
    let blocks = shown.map { text($0, style) }.joined()
    return shown.isEmpty ? "" : blocks + "\n" + conclusion + "\n"
  }

  private var conclusion: String {
    let subjects = alternatives(problems.map(\.subject), "and")
    if !subjects.isEmpty { return "Sound does not work here yet: see \(subjects)." }
    let warned = checks.contains { $0.verdict == .warning }
    return warned ? "Sound works here, with the warnings above." : "Sound works here."
  }

  /// The verdict, the subject and the finding in three columns; the advice below the finding.
  private func text(_ check: Check, _ style: Style) -> String {
    let (verdictWidth, subjectWidth) = (9, 14)
    let margin = String(repeating: " ", count: verdictWidth + subjectWidth)
    let width = textWidth - margin.count
    let advice = check.advice.flatMap { advice in
      wrapped(advice, width: width - 3).enumerated().map { ($0 == 0 ? "-> " : "   ") + $1 }
    }
    let lines = wrapped(check.finding, width: width) + advice
    let gap = String(repeating: " ", count: verdictWidth - check.verdict.rawValue.count)
    let head = mark(check.verdict, style) + gap + padded(check.subject, to: subjectWidth)
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

extension DoctorCommand: RunnableCommand {
  /// Reads this machine and checks it; a problem is part of the report and not thrown.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    DoctorReport(checks: Machine.current().checks, isBrief: arguments[GlobalOption.quiet])
  }
}
