/// The report's lines for each pair of command and state.
struct News {
  typealias Told = (exit: PermissionExit, lines: [String])

  let performed: Performed
  let phrasing: Phrasing
  let before: Decision
  let decision: Decision

  init(_ performed: Performed, phrasing: Phrasing) {
    self.performed = performed
    self.phrasing = phrasing
    self.before = performed.before.decide()
    self.decision = performed.after.decide()
  }
}

extension News {
  /// The state, its cause, and the advice.
  var status: Told { (decision.exit, [phrasing.state(decision)] + explanation) }

  func request(_ answer: Answer) -> Told {
    guard before.status == .notDetermined else { return status }
    if let refusal = before.noPrompt { return (.notDetermined, cannotAsk(refusal)) }
    if performed.transition == .impossible { return impossible }
    switch answer {
    case .always: return (decision.exit, ["Allowed, and remembered."] + still(.authorized))
    case .onlyThisTime: return (decision.exit, [onlyThisTime] + still(.authorized))
    case .never: return (decision.exit, ["Refused, and remembered."] + advice)
    case .notNow: return (.notDetermined, ["Not now; nothing is remembered."])
    case .interrupted: return (.interrupted, ["Interrupted; nothing is remembered."])
    case .noTerminal:
      return (.notDetermined, ["Cannot ask here; nothing is remembered."] + advice)
    }
  }

  var grant: Told {
    switch performed.transition {
    case .impossible: return impossible
    case .change where decision.status == .authorized:
      return (.done, [phrasing.cause(decision, of: performed.after.account)] + advice)
    case .change:
      return (decision.exit, ["Remembered, but it is still \(decision.status)."] + explanation)
    case .none, .moveAway: return (decision.exit, ["Nothing was changed."] + explanation)
    }
  }

  var revoke: Told {
    guard decision.exit != .unusable else {
      let news = performed.transition == .none ? "Nothing was changed." : "Refused, and remembered."
      return (.unusable, [news] + explanation)
    }
    let news = performed.transition == .none ? "It was refused already." : "Refused from now on."
    return (stoppedExit, [news] + stopped + (saysMore ? explanation : advice))
  }

  var reset: Told {
    if case .moveAway = performed.transition {
      let place =
        performed.movedTo.map { "The file is now \(quoted($0))." } ?? "The file is moved away."
      let exit = decision.exit == .unusable ? .unusable : stoppedExit
      return (exit, [place] + stopped + explanation)
    }
    guard decision.exit != .unusable else {
      return (.unusable, ["Nothing was changed."] + explanation)
    }
    let news = performed.transition == .none ? "There is nothing to reset." : "Forgotten."
    return (stoppedExit, [news] + stopped + afterReset)
  }
}

extension News {
  private var advice: [String] { phrasing.advice(in: performed.after) }

  private var explanation: [String] {
    [phrasing.cause(decision, of: performed.after.account)] + advice
  }

  /// True if something other than the stored refusal decides, or the refusal is only a marker.
  private var saysMore: Bool {
    if case .record = decision.source { false } else { true }
  }

  /// The explanation if the status is not the wanted one; else nothing.
  private func still(_ wanted: AuthorizationStatus) -> [String] {
    decision.status == wanted ? [] : explanation
  }

  private var afterReset: [String] {
    switch decision.status {
    case .notDetermined where decision.noPrompt == nil: ["The next recording will ask."]
    case .notDetermined: advice
    case .authorized, .denied, .restricted: explanation
    }
  }

  private var onlyThisTime: String {
    performed.after.session == nil
      ? "Allowed for one recording that starts within 10 minutes." : "Allowed, only this time."
  }

  private func cannotAsk(_ refusal: Decision.PromptRefusal) -> [String] {
    switch refusal {
    case .policy(let file): ["Cannot ask: \(quoted(file)) forbids the question."] + advice
    case .wish, .decided: ["Cannot ask: the question is switched off for this call."] + advice
    }
  }

  private var impossible: Told {
    let words =
      performed.after.clock.boot == nil
      ? "This system does not tell one start of the machine from another, so no limit can be kept."
      : "A limited grant lasts from 10 seconds to 30 days."
    return (.failed, ["Nothing was changed.", words])
  }

  private var stoppedExit: PermissionExit {
    performed.stopped.unconfirmed.isEmpty ? .done : .unconfirmed
  }

  private var stopped: [String] {
    performed.stopped.confirmed.map { "Stopped, and what it had recorded is kept: \($0)" }
      + performed.stopped.empty.map { "Stopped before it had recorded anything: \($0)" }
      + performed.stopped.killed.map { "Did not stop within 5 seconds, and was killed: \($0)" }
      + performed.stopped.continuing.map { "Goes on, because a policy allows its device: \($0)" }
      + performed.stopped.unconfirmed.map { "Did not stop within 5 seconds: \($0)" }
      + performed.stopped.unreachable.map { host in
        "If \(quoted(host)) was switched off or is gone for good, type: "
          + "recorder recover --from \(quoted(host))"
      }
  }
}
