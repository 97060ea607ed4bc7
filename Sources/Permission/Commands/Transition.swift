package import Linux

/// What a command does to the user's record in one situation.
package enum Transition: Hashable, Sendable {
  /// Nothing is stored: nothing is asked, or it may not, or it is so already.
  case none
  case change(Change)
  /// The store that cannot be trusted is moved aside.
  case moveAway
  /// Asked for a limited grant where no limit can be kept.
  case impossible
}

extension Situation {
  /// What `command` does here.
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

  /// A pass that begins now, for the session that asks.
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

  /// Whether a grant may be stored: never under a restriction, nor beside what cannot be trusted.
  private func isChangeable(_ decision: Decision) -> Bool {
    decision.status != .restricted && decision.exit != .unusable && !isStoreUnusable
  }

  private var isStoreUnusable: Bool {
    if case .unusable = records { true } else { false }
  }

  /// Whether the same "no" is stored, or nothing can be stored beside what is unusable.
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
  /// What the store holds after a change that went well.
  package func after(
    _ transition: Transition, for binding: Binding, at time: WallTime
  ) -> UserRecords {
    switch transition {
    case .none, .impossible: self
    case .moveAway: .absent
    case .change(let change): .ledger(base(for: binding, at: time).applying(change, for: binding))
    }
  }

  /// The ledger on which a change builds.
  func base(for binding: Binding, at time: WallTime) -> Ledger {
    switch self {
    case .ledger(let ledger): ledger
    case .marker: Ledger.empty(binding).refusingEveryone(at: time)
    case .absent, .unusable: .empty(binding)
    }
  }
}
