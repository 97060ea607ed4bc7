package import Linux

/// The effect of a command on the user's record in one situation.
package enum Transition: Hashable, Sendable {
  /// Nothing is stored: the command only asks, is not permitted, or changes nothing.
  case none
  case change(Change)
  /// The store that cannot be trusted is moved away.
  case moveAway
  /// A limited grant outside the possible range, or on a system without a boot identity.
  case impossible
}

extension Situation {
  /// The transition that `command` makes in this situation.
  package func transition(of command: PermissionCommand) -> Transition {
    let decision = decide()
    switch command {
    case .status: return .none
    case .request(let answer): return decision.noPrompt == nil ? transition(of: answer) : .none
    case .grant(let term): return isChangeable(decision) ? grant(term, by: .command) : .none
    case .revoke: return isDeniedAlready ? .none : change(.denied, by: .command)
    case .reset(let force): return reset(force: force, decision)
    }
  }

  private func transition(of answer: Answer) -> Transition {
    switch answer {
    case .always: grant(.forever, by: .prompt)
    case .onlyThisTime:
      session.map { .change(.pass($0, newPass(by: .prompt))) } ?? grant(.once, by: .prompt)
    case .never: change(.denied, by: .prompt)
    case .notNow, .interrupted, .noTerminal: .none
    }
  }

  /// A pass for the session that asks, starting now.
  func newPass(by origin: Record.Origin) -> Pass {
    Pass(client, at: clock.wall, by: origin, boot: clock.boot)
  }

  private func grant(_ term: Term, by origin: Record.Origin) -> Transition {
    term.consent(from: clock).map { change($0, by: origin) } ?? .impossible
  }

  private func change(_ consent: Record.Consent, by origin: Record.Origin) -> Transition {
    .change(.record(client, Record(consent, at: clock.wall, by: origin)))
  }

  private func reset(force: Bool, _ decision: Decision) -> Transition {
    if case .unusable(let fault) = records {
      return force && fault.canBeMovedAway ? .moveAway : .none
    }
    return decision.reason == .policyUnusable || !hasSomethingToReset
      ? .none : .change(.forget(client))
  }

  /// True if a grant may be stored: never under a restriction, nor beside a policy or store that
  /// cannot be trusted.
  private func isChangeable(_ decision: Decision) -> Bool {
    decision.status != .restricted && decision.exit != .unusable && !isStoreUnusable
  }

  private var isStoreUnusable: Bool {
    if case .unusable = records { true } else { false }
  }

  /// True if the same refusal is stored, or the store is unusable and takes none.
  private var isDeniedAlready: Bool {
    isStoreUnusable || records.ledger?.records[client]?.isDenial == true
  }

  var hasSomethingToReset: Bool {
    if case .marker = records { return true }
    guard let ledger = records.ledger else { return false }
    if client == .everyone { return !ledger.records.isEmpty || !ledger.passes.isEmpty }
    return ledger.records[client] != nil || ledger.passes.values.contains { $0.client == client }
  }
}

extension UserRecords {
  /// The records after a transition that succeeded.
  package func after(
    _ transition: Transition, for binding: Binding, at time: WallTime
  ) -> UserRecords {
    switch transition {
    case .none, .impossible: self
    case .moveAway: .absent
    case .change(let change): .ledger(base(for: binding, at: time).applying(change, for: binding))
    }
  }

  /// The ledger that a change applies to.
  func base(for binding: Binding, at time: WallTime) -> Ledger {
    switch self {
    case .ledger(let ledger): ledger
    case .marker: Ledger.empty(binding).refusingEveryone(at: time)
    case .absent, .unusable: .empty(binding)
    }
  }
}
