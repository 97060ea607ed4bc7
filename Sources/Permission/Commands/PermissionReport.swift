/// What a command tells its caller.
package struct PermissionReport: Hashable, Sendable {
  /// The process's answer.
  package let exit: PermissionExit
  /// The state that holds now.
  package let decision: Decision
  /// What happened, why, and what to do; the first line is the news.
  package let lines: [String]
  /// Those of the lines that are advice, and no part of the result.
  package let notes: [String]
  /// The recordings that it ended.
  package let stopped: StoppedSessions
  /// What went wrong beside it.
  package let warnings: [String]
}

extension Phrasing {
  /// What to tell the caller.
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
