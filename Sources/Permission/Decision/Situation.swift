internal import Linux

/// All facts that the status depends on; a decision reads nothing else.
package struct Situation: Hashable, Sendable {
  /// The administrator's policies.
  package var policies: Policies
  /// The refusals that this call asks for itself.
  package var restrictions: CallRestrictions
  /// The user's decisions.
  package var records: UserRecords
  /// Both clocks, read together.
  package var clock: ClockReading
  /// The account that asks.
  package var account: Account
  /// The user and machine that a record must be bound to.
  package var owner: StoreOwner
  /// The client that asks.
  package var client: Client
  /// The device to open.
  package var device: RequestedDevice
  /// The session that asks; nil before there is one.
  package var session: SessionID?

  /// A situation from its parts; by default nothing is decided and no device is named.
  package init(
    policies: Policies = .none, restrictions: CallRestrictions = CallRestrictions(),
    records: UserRecords = .absent,
    clock: ClockReading, account: Account, owner: StoreOwner, client: Client = .everyone,
    device: RequestedDevice = .unspecified, session: SessionID? = nil
  ) {
    self.policies = policies
    self.restrictions = restrictions
    self.records = records
    self.clock = clock
    self.account = account
    self.owner = owner
    self.client = client
    self.device = device
    self.session = session
  }
}

/// The contents of the user's store.
package enum UserRecords: Hashable, Sendable {
  /// Nothing was ever decided.
  case absent
  case ledger(Ledger)
  /// A refusal that did not fit on the disk; the file at this path marks it by existing.
  case marker(String)
  case unusable(StoreFault)

  /// The ledger; nil if the store has none.
  package var ledger: Ledger? {
    guard case .ledger(let ledger) = self else { return nil }
    return ledger
  }
}

extension Situation {
  /// The decision for this situation: the first row of the precedence that applies.
  package func decide() -> Decision {
    unusablePolicy ?? restriction ?? callRestriction ?? unusableStore ?? refusal ?? grant
      ?? policyGrant
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

  private var callRestriction: Decision? {
    restrictions.refusal.map { decision(.denied, .environment, .callRestriction($0)) }
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
    if let sessionGrant {
      return decision(.authorized, .once, .record(client, sessionGrant.by), since: sessionGrant.at)
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
  private var ownGrant: Record? { records.ledger?.carried(to: owner).records[client] }

  /// The pass of the session that asks; nil if it has none.
  private var sessionGrant: SessionGrant? {
    session.flatMap { sessionGrants[$0] }.flatMap { $0.client == client ? $0 : nil }
  }

  /// The passes of this user's sessions on this machine.
  private var sessionGrants: [SessionID: SessionGrant] {
    records.ledger?.carried(to: owner).sessionGrants ?? [:]
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
      noPrompt: status == .notDetermined ? promptRefusal : .decided, notes: notes(on: status))
  }

  private var promptRefusal: Decision.PromptRefusal? {
    policies.forbidsPrompt.map { .policy(file: $0) }
      ?? (restrictions.forbidsPrompt ? .callRestriction : nil)
  }

  private func notes(on status: AuthorizationStatus) -> [Decision.Note] {
    var notes: [Decision.Note] = []
    if status == .notDetermined, hasUsedGrant { notes.append(.usedGrant) }
    if owner.hasNoMachine { notes.append(.noMachine) }
    if let ledger = records.ledger, ledger.owner != owner, let record = ledger.records[client],
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

  /// True where a session was started in this boot with a grant for it alone.
  private var hasUsedGrant: Bool {
    guard let boot = clock.boot else { return false }
    return sessionGrants.values.contains { $0.client == client && $0.boot == boot }
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
