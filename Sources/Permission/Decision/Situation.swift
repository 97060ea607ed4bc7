internal import Linux

/// All facts that the status depends on; a decision reads nothing else.
package struct Situation: Hashable, Sendable {
  /// The administrator's policies.
  package var policies: Policies
  /// The refusals that the options and variables of this call request.
  package var restrictions: CallRestrictions
  /// The user's decisions.
  package var records: UserRecords
  /// Both clocks, read together.
  package var clock: ClockReading
  /// The account that requests access.
  package var account: Account
  /// The user and machine that a record must be bound to.
  package var owner: StoreOwner
  /// The client that requests access.
  package var client: Client
  /// The device to open.
  package var device: RequestedDevice
  /// The session that requests access, or nil before the session exists.
  package var session: SessionID?

  /// Creates a situation from its parts. By default nothing is decided, and no device is named.
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
  /// A refusal that did not fit on the disk. The existence of the file at this path represents it.
  case marker(String)
  case unusable(StoreFault)

  /// The ledger, or nil if the store has none.
  package var ledger: Ledger? {
    guard case .ledger(let ledger) = self else { return nil }
    return ledger
  }
}

extension Situation {
  /// Returns the decision for this situation: the first rule of the precedence that applies.
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

  /// The refusal that applies. It can come from another machine or another user, or be one for
  /// everyone.
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

  /// The session grant of the requesting session, or nil if it has none.
  private var sessionGrant: SessionGrant? {
    session.flatMap { sessionGrants[$0] }.flatMap { $0.client == client ? $0 : nil }
  }

  /// The session grants of this user on this machine.
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

  /// True if a session of this boot was started with a grant for one recording.
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
