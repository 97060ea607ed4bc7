internal import Linux
package import Permission

/// The summary of a command that was carried out.
package struct PermissionSummary: Hashable, Sendable {
  /// The exit code of the process.
  package let exit: ExitCode
  /// The decision that applies now, the strictest one if the command was about several services.
  package let decision: Decision
  /// The result, its cause and the advice; the result is the first line.
  package let lines: [String]
  /// The lines that are advice or notes and not part of the result.
  package let notes: [String]
  /// The sessions that the command ended.
  package let stopped: StoppedSessions
  /// The failures that did not stop the command, such as a refusal stored only as a marker, or a
  /// missing audit event.
  package let warnings: [String]
}

/// The sessions that a refusal, a reset or a shorter grant affects, each as a line for the user.
package struct StoppedSessions: Hashable, Sendable {
  /// Sessions that ended and kept their audio.
  package var confirmed: [String] = []
  /// Sessions that ended with nothing recorded: meters, and recordings that were just starting.
  package var empty: [String] = []
  /// Sessions that did not confirm their end in time.
  package var unconfirmed: [String] = []
  /// The names of the other machines with unconfirmed sessions.
  package var unreachable: [String] = []
  /// Sessions that did not end in time and were killed.
  package var killed: [String] = []
  /// Sessions that continue because a policy allows their device.
  package var continuing: [String] = []
  /// Sessions that continue with their other tracks.
  package var silenced: [String] = []
  /// Sessions that will end when the new grant expires, each with that time.
  package var ending: [String] = []
}

extension Decision {
  /// The exit code of a command whose result is the status.
  package var exitCode: ExitCode {
    switch status {
    case .authorized: .done
    case .notDetermined: .permissionNotDetermined
    case .restricted: .permissionRestricted
    case .denied: isUntrusted ? .permissionUnusable : .permissionDenied
    }
  }
}

extension PermissionPhrasing {
  /// Makes the summary of a command that was carried out.
  ///
  /// - Parameter stopped: the sessions that ended because of the command.
  package func summary(
    _ outcome: PermissionOutcome, stopped: StoppedSessions = StoppedSessions()
  ) -> PermissionSummary {
    let lines = OutcomeLines(outcome, stopped, phrasing: self)
    let (exit, text) =
      switch outcome.command {
      case .status: lines.status
      case .request(let answer): lines.request(answer)
      case .grant: lines.grant
      case .revoke: lines.revoke
      case .reset: lines.reset
      }
    return PermissionSummary(
      exit: exit, decision: lines.decision, lines: text + notes(lines.decision),
      notes: advice(in: outcome.after) + notes(lines.decision), stopped: stopped,
      warnings: warnings(outcome))
  }

  private func warnings(_ outcome: PermissionOutcome) -> [String] {
    let whom = outcome.after.client.kind == .caller ? "client" : "program"
    let shortage = outcome.shortage.map {
      "the refusal could not be stored (\($0)); instead, every \(whom) is refused until the next "
        + "grant or reset"
    }
    let audit = outcome.auditFailure?.unwritten("the decision")
    return [shortage, audit].compactMap(\.self)
  }
}

/// The lines of a summary. They follow from the command, and from the decisions before and after
/// it.
private struct OutcomeLines {
  typealias Lines = (exit: ExitCode, lines: [String])

  private let outcome: PermissionOutcome
  private let sessions: StoppedSessions
  private let phrasing: PermissionPhrasing
  private let before: Decision
  let decision: Decision
  /// The access to the services of the command, in words.
  private let access: String

  init(_ outcome: PermissionOutcome, _ sessions: StoppedSessions, phrasing: PermissionPhrasing) {
    self.outcome = outcome
    self.sessions = sessions
    self.phrasing = phrasing
    self.before = outcome.before.decide()
    self.decision = outcome.after.decide()
    self.access = accessWords(outcome.after.services)
  }
}

extension OutcomeLines {
  /// The state, its cause, and the advice.
  var status: Lines {
    (decision.exitCode, outcome.after.deciding.map(phrasing.state) + explanation)
  }

  func request(_ answer: PromptAnswer) -> Lines {
    guard before.status == .notDetermined else { return status }
    if let refusal = before.noPrompt { return (.permissionNotDetermined, cannotAsk(refusal)) }
    if outcome.transition == .impossible { return impossible }
    switch answer {
    case .always:
      return (decision.exitCode, [untilRevoked] + still(.authorized))
    case .onlyThisTime: return (decision.exitCode, [onlyThisTime] + still(.authorized))
    case .never:
      let fact = "\(sentence(access)) is refused\(named) until you allow it."
      return (decision.exitCode, [fact] + advice)
    case .notNow:
      let fact = "Not now; nothing is recorded, and you will be asked again."
      return (.permissionNotDetermined, [fact])
    case .interrupted: return (.interrupted, ["Interrupted; nothing was stored."])
    case .noTerminal:
      let undecided = accessWords(outcome.after.undecided)
      let fact = "\(sentence(undecided)) is undecided, and there is no terminal to ask on."
      return (.permissionNotDetermined, [fact] + advice)
    }
  }

  private var untilRevoked: String {
    "\(sentence(access)) is allowed\(named) until you revoke it."
  }

  var grant: Lines {
    switch outcome.transition {
    case .impossible: return impossible
    case .change where decision.status == .authorized:
      let isSpecial = decision.reason == .once || decision.expiresAt != nil || saysMore
      let cause = phrasing.cause(decision, of: outcome.after.account, naming: true)
      return (.done, [isSpecial ? cause : untilRevoked] + replaced + sessions.ending + advice)
    case .change:
      return (
        decision.exitCode,
        ["The grant is stored, but \(access) is still \(phrasing.words(decision))."] + explanation
      )
    case .none, .moveAway: return (decision.exitCode, ["Nothing was changed."] + explanation)
    }
  }

  /// A line about the replaced grant if it was longer than the new grant, else no lines.
  private var replaced: [String] {
    outcome.shortensGrant
      ? ["This replaces a longer grant: access was \(phrasing.words(before))."] : []
  }

  var revoke: Lines {
    guard !decision.isUntrusted else {
      let fact = outcome.transition == .none ? "Nothing was changed." : "The refusal was stored."
      return (.permissionUnusable, [fact] + explanation)
    }
    let fact =
      outcome.transition == .none
      ? "\(sentence(access)) was refused\(named) already."
      : "\(sentence(access)) is refused\(named) from now on."
    return (stoppedExit, [fact] + stopped + (saysMore ? explanation : advice))
  }

  var reset: Lines {
    if case .moveAway = outcome.transition {
      let fact =
        outcome.movedTo.map { "The file is now \(quoted($0))." } ?? "The file was moved away."
      let exit = decision.isUntrusted ? .permissionUnusable : stoppedExit
      return (exit, [fact] + stopped + explanation)
    }
    guard !decision.isUntrusted else {
      return (.permissionUnusable, ["Nothing was changed."] + explanation)
    }
    let fact =
      outcome.transition == .none
      ? "There is nothing to reset\(named)."
      : removed > 1
        ? "The \(removed) stored decisions\(named) were removed."
        : "The stored decision\(named) was removed."
    return (stoppedExit, [fact] + stopped + afterReset)
  }
}

extension OutcomeLines {
  private var advice: [String] { phrasing.advice(in: outcome.after) }

  private var named: String { decision.client.purpose }

  /// The number of decisions that the command removed.
  private var removed: Int {
    let counts = [outcome.before, outcome.after].map { $0.records.ledger?.records.count ?? 0 }
    return counts[0] - counts[1]
  }

  private var explanation: [String] { phrasing.explanation(in: outcome.after) }

  /// Whether something other than a stored record decides, such as a policy or a marker file.
  private var saysMore: Bool {
    if case .record = decision.source { false } else { true }
  }

  /// Returns the explanation if the status is not `wanted`, else no lines.
  private func still(_ wanted: AuthorizationStatus) -> [String] {
    decision.status == wanted ? [] : explanation
  }

  /// The effect of a reset: the decisions that remain, or the question that the user can expect.
  private var afterReset: [String] {
    let open = outcome.after.undecided
    let decided = outcome.after.about(outcome.after.services.subtracting(open))
    if !decided.services.isEmpty { return phrasing.explanation(in: decided) }
    if decision.client.kind == .program {
      let what = decision.client == .allPrograms ? "every program" : "it"
      return ["recorder guard treats \(what) as undecided now."]
    }
    return decision.noPrompt == nil ? ["The next recording will ask."] : advice
  }

  private var onlyThisTime: String {
    outcome.after.session == nil
      ? "\(sentence(access)) is allowed for one recording that starts within 10 minutes."
      : "\(sentence(access)) is allowed for this recording only."
  }

  private func cannotAsk(_ refusal: Decision.PromptRefusal) -> [String] {
    let reason =
      switch refusal {
      case .policy(let file): "\(quoted(file)) forbids it"
      case .callRestriction, .decided, .unknownProgram: "asking is turned off for this command"
      }
    return outcome.after.deciding.map(phrasing.state) + ["Cannot ask: \(reason)."] + advice
  }

  private var impossible: Lines {
    let words =
      outcome.after.clock.boot == nil
      ? "This system has no boot ID, so no time limit can be enforced."
      : "A limited grant lasts from 10 seconds to 30 days."
    return (.failed, ["Nothing was changed.", words])
  }

  private var stoppedExit: ExitCode {
    sessions.unconfirmed.isEmpty ? .done : .revokeUnconfirmed
  }

  private var stopped: [String] {
    sessions.confirmed.map { "Stopped and saved: \($0)" }
      + sessions.empty.map { "Stopped before it had recorded anything: \($0)" }
      + sessions.killed.map { "Did not stop within 5 seconds, and was killed: \($0)" }
      + sessions.silenced.map { "Continues with its other tracks: \($0)" }
      + sessions.continuing.map { "Continues, because a policy allows the device: \($0)" }
      + sessions.unconfirmed.map { "Did not stop within 5 seconds: \($0)" }
      + sessions.unreachable.map { host in
        "If \(quoted(host)) is off or will never run again, type: "
          + "recorder recover --from \(shellArgument(host))"
      }
  }
}
