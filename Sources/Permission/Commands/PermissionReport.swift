/// The report of a command to its caller.
package struct PermissionReport: Hashable, Sendable {
  /// The exit code of the process.
  package let exit: PermissionExit
  /// The decision that holds now.
  package let decision: Decision
  /// The result, its cause and the advice; the result is the first line.
  package let lines: [String]
  /// The lines that are advice or notes and not part of the result.
  package let notes: [String]
  /// The sessions that the command ended.
  package let stopped: StoppedSessions
  /// The failures that did not stop the command: a refusal kept as a marker only, a missing audit
  /// event.
  package let warnings: [String]
}

extension Phrasing {
  /// Makes the report of a command that was carried out.
  package func report(_ performed: Performed) -> PermissionReport {
    let news = News(performed, phrasing: self)
    let (exit, lines) =
      switch performed.command {
      case .status: news.status
      case .request(let answer): news.request(answer)
      case .grant: news.grant
      case .revoke: news.revoke
      case .reset: news.reset
      }
    return PermissionReport(
      exit: exit, decision: news.decision, lines: lines + notes(news.decision),
      notes: advice(in: performed.after) + notes(news.decision), stopped: performed.stopped,
      warnings: warnings(performed))
  }

  private func warnings(_ performed: Performed) -> [String] {
    let shortage = performed.shortage.map {
      "the refusal could not be written (\($0)); a marker stands for it and refuses every client "
        + "until the next grant or reset"
    }
    let audit = performed.auditFailure.map { "the audit does not tell of this: \($0)" }
    return [shortage, audit].compactMap(\.self)
  }
}
