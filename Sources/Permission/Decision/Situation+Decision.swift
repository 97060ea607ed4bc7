internal import Linux
extension Situation {
  /// The decision for this situation: the first row of the precedence that applies.
  package func decide() -> Decision {
    unusablePolicy ?? restriction ?? wish ?? unusableStore ?? refusal ?? grant ?? policyGrant
      ?? undetermined
  }

  private var unusablePolicy: Decision? {
    guard case .unusable(let fault) = policies else { return nil }
    return decision(.denied, .policyUnusable, .policyFault(fault))
  }

  private var restriction: Decision? {
    policies.first(.restricted, for: account, with: device)
      .map { decision(.restricted, .policy, .policy($0)) }
  }

  private var wish: Decision? {
    wishes.refusal.map { decision(.denied, .environment, .wish($0)) }
  }

  private var unusableStore: Decision? {
    guard case .unusable(let fault) = records else { return nil }
    return decision(.denied, .storeUnusable, .storeFault(fault))
  }

  /// A refusal counts wherever it was made: on another machine, by another user, for everyone.
  private var refusal: Decision? {
    if case .marker(let path) = records { return decision(.denied, .user, .marker(path)) }
    for subject in [client, .everyone] {
      guard let record = records.ledger?.records[subject], record.isDenial else { continue }
      return decision(.denied, .user, .record(subject, record.by), since: record.at)
    }
    return nil
  }

  private var grant: Decision? {
    if let pass {
      return decision(.authorized, .once, .record(client, pass.by), since: pass.at)
    }
    guard let record = ownGrant, case .valid(let remaining) = record.validity(clock) else {
      return nil
    }
    return decision(
      .authorized, record.grantReason, .record(client, record.by), since: record.at,
      remaining: remaining)
  }

  private var policyGrant: Decision? {
    policies.first(.authorized, for: account, with: device)
      .map { decision(.authorized, .policy, .policy($0)) }
  }

  private var undetermined: Decision {
    guard let record = ownGrant else { return decision(.notDetermined, nil, .nothing) }
    return decision(.notDetermined, .expired, .record(client, record.by), since: record.at)
  }

  /// The record of this client, by this user, on this machine.
  private var ownGrant: Record? { records.ledger?.carried(to: binding).records[client] }

  /// The pass of the session that asks; nil if it has none.
  private var pass: Pass? {
    let passes = records.ledger?.carried(to: binding).passes
    return session.flatMap { passes?[$0] }.flatMap { $0.client == client ? $0 : nil }
  }
}

extension Situation {
  private func decision(
    _ status: AuthorizationStatus, _ reason: Reason?, _ source: Decision.Source,
    since: WallTime? = nil, remaining: Duration? = nil
  ) -> Decision {
    Decision(
      status: status, reason: reason, source: source, client: client, since: since,
      remaining: remaining, expiresAt: remaining.map { clock.wall + $0 },
      noPrompt: status == .notDetermined ? promptRefusal : .decided, notes: notes)
  }

  private var promptRefusal: Decision.PromptRefusal? {
    policies.forbidsPrompt.map { .policy(file: $0) } ?? (wishes.forbidsPrompt ? .wish : nil)
  }

  private var notes: [Decision.Note] {
    var notes: [Decision.Note] = []
    if binding.hasNoMachine { notes.append(.noMachine) }
    if let ledger = records.ledger, ledger.binding != binding, let record = ledger.records[client],
      !record.isDenial
    {
      notes.append(.foreignGrant)
    }
    if device == .unspecified,
      let policy = policies.files.first(where: { policy in
        policy.rules.contains { $0.restrictsSomeDevice(for: account) }
      })
    {
      notes.append(.someDevices(file: policy.file))
    }
    return notes
  }
}

extension Record {
  fileprivate var grantReason: Reason {
    switch consent {
    case .timed: .timed
    case .once: .once
    case .forever, .denied: by == .prompt ? .prompt : .user
    }
  }
}
