internal import Linux

/// All facts that the status depends on; a decision reads nothing else.
package struct Situation: Hashable, Sendable {
  /// The administrator's policies.
  package var policies = Policies.none
  /// The restrictions from the options and variables of this call.
  package var restrictions = CallRestrictions()
  /// The user's decisions.
  package var records = UserRecords.absent
  /// The decisions in the permission store of the desktop's portals.
  package var portal = PortalRecords.unread
  /// Both clocks, read together.
  package var clock: ClockReading
  /// The account that requests access.
  package var account: Account
  /// The current user and machine. A grant applies only if it was stored for this user and machine.
  package var owner: StoreOwner
  /// The services that are needed together.
  package var services: Set<Service> = [.microphone]
  /// The client that requests access.
  package var client = Client.everyone
  /// The device to open.
  package var device = RequestedDevice.unspecified
  /// The session that requests access, or nil before the session exists.
  package var session: SessionID?
}

/// The contents of the user's store.
package enum UserRecords: Hashable, Sendable {
  /// No decision is stored.
  case absent
  case ledger(Ledger)
  /// A refusal that could not be written. The existence of a file at this path represents the
  /// refusal.
  case marker(String)
  case unusable(TrustFault)

  /// The ledger, or nil if the store has none.
  package var ledger: Ledger? {
    guard case .ledger(let ledger) = self else { return nil }
    return ledger
  }

  /// Whether the store cannot be trusted.
  var isUnusable: Bool {
    if case .unusable = self { true } else { false }
  }

  /// Returns the session grants of a user on a machine.
  func sessionGrants(of owner: StoreOwner) -> [SessionID: SessionGrant] {
    ledger.flatMap { $0.owner == owner ? $0.sessionGrants : nil } ?? [:]
  }
}

extension Situation {
  /// Returns the strictest decision about the services, because all services are needed.
  package func decide() -> Decision {
    decisions.min { $0.isStricter(than: $1) } ?? decide(.microphone)
  }

  /// The decision about each service.
  package var decisions: [Decision] {
    Service.allCases.filter(services.contains).map(decide)
  }

  /// The decisions with the strictest status.
  package var deciding: [Decision] {
    let status = decide().status
    return decisions.filter { $0.status == status }
  }

  /// Returns the same situation with other services.
  package func about(_ services: Set<Service>) -> Situation {
    var other = self
    other.services = services
    return other
  }

  /// The services and the client of the query.
  var scope: Scope { Scope(services, client) }

  /// Returns the decision about one service. The first rule that applies makes the decision. The
  /// rules are called in the order of their precedence.
  private func decide(_ service: Service) -> Decision {
    let subject = Subject(service, client)
    return unusablePolicy(subject) ?? policy(.restricted, subject) ?? callRestriction(subject)
      ?? unusableStore(subject) ?? refusal(subject) ?? unreadablePortal(subject)
      ?? portal(false, subject) ?? grant(subject) ?? portal(true, subject)
      ?? (client.isIdentified ? policy(.authorized, subject) : nil) ?? undetermined(subject)
  }

  private func unusablePolicy(_ subject: Subject) -> Decision? {
    guard case .unusable(let fault) = policies else { return nil }
    return decision(subject, .denied, .policyUnusable, .policyFault(fault))
  }

  private func policy(_ status: Rule.Status, _ subject: Subject) -> Decision? {
    let source = policies.first(
      status, of: subject.service, for: account, with: device(of: subject.service))
    return source.map {
      decision(
        subject, status == .restricted ? .restricted : .authorized, .policy, .policy($0))
    }
  }

  /// The device for the rules of a service. System audio does not come from a card.
  private func device(of service: Service) -> RequestedDevice {
    service == .microphone ? device : .unresolved
  }

  private func callRestriction(_ subject: Subject) -> Decision? {
    restrictions.refusal.map { decision(subject, .denied, .environment, .callRestriction($0)) }
  }

  private func unusableStore(_ subject: Subject) -> Decision? {
    guard case .unusable(let fault) = records else { return nil }
    return decision(subject, .denied, .storeUnusable, .storeFault(fault))
  }

  private func unreadablePortal(_ subject: Subject) -> Decision? {
    portal.fault(about: subject).map {
      decision(subject, .denied, .storeUnusable, .portalFault($0))
    }
  }

  private func portal(_ isAllowed: Bool, _ subject: Subject) -> Decision? {
    guard portal.decision(about: subject) == isAllowed else { return nil }
    return decision(subject, isAllowed ? .authorized : .denied, .user, .portal)
  }

  /// Returns the refusal that applies to a subject, or nil if there is none. The refusal can come
  /// from another machine or another user, and can be about all clients of the same kind.
  private func refusal(_ subject: Subject) -> Decision? {
    if case .marker(let path) = records { return decision(subject, .denied, .user, .marker(path)) }
    for client in [client, client.kind.everyone] {
      let record = records.ledger?.records[Subject(subject.service, client)]
      guard let record, record.isDenial else { continue }
      return decision(subject, .denied, .user, .record(client, record.by), since: record.at)
    }
    return nil
  }

  private func grant(_ subject: Subject) -> Decision? {
    if let sessionGrant, sessionGrant.covers(subject) {
      return decision(
        subject, .authorized, .once, .record(client, sessionGrant.by), since: sessionGrant.at)
    }
    guard let record = ownRecord(subject), case .valid(let remaining) = record.validity(clock)
    else { return nil }
    return decision(
      subject, .authorized, record.grantReason, .record(client, record.by), since: record.at,
      remaining: remaining)
  }

  private func undetermined(_ subject: Subject) -> Decision {
    guard let record = ownRecord(subject) else {
      return decision(subject, .notDetermined, nil, .nothing)
    }
    return decision(
      subject, .notDetermined, .expired, .record(client, record.by), since: record.at)
  }

  /// Returns the record about a subject if the record belongs to this user and machine or is a
  /// refusal. `carried(to:)` would keep the same records, but would copy all records.
  private func ownRecord(_ subject: Subject) -> Record? {
    records.ledger?.records[subject].flatMap(own)
  }

  /// Returns `record`, or nil if it is a grant by another user or on another machine.
  func own(_ record: Record) -> Record? {
    record.isDenial || records.ledger?.owner == owner ? record : nil
  }

  /// The session grant of the requesting session, or nil if the session has no grant in this boot.
  /// A grant of an earlier boot is ignored, because no session survives a restart.
  var sessionGrant: SessionGrant? {
    let grant = session.flatMap { records.sessionGrants(of: owner)[$0] }
    return grant?.boot == clock.boot ? grant : nil
  }
}

extension Situation {
  private func decision(
    _ subject: Subject, _ status: AuthorizationStatus, _ reason: Reason?,
    _ source: Decision.Source, since: WallTime? = nil, remaining: Duration? = nil
  ) -> Decision {
    Decision(
      status: status, reason: reason, source: source, service: subject.service,
      client: subject.client, since: since, remaining: remaining,
      expiresAt: remaining.map { (clock.wall + $0).nearestSecond },
      noPrompt: status == .notDetermined ? promptRefusal : .decided,
      notes: notes(on: status, subject))
  }

  private var promptRefusal: Decision.PromptRefusal? {
    if !client.isIdentified { return .unknownProgram }
    return policies.forbidsPrompt.map { .policy(file: $0) }
      ?? (restrictions.forbidsPrompt ? .callRestriction : nil)
  }

  private func notes(on status: AuthorizationStatus, _ subject: Subject) -> [Decision.Note] {
    var notes: [Decision.Note] = []
    if status == .notDetermined, hasUsedGrant(subject) { notes.append(.usedGrant) }
    if owner.hasNoMachine { notes.append(.noMachine) }
    if let ledger = records.ledger, ledger.owner != owner, let record = ledger.records[subject],
      !record.isDenial
    {
      notes.append(.foreignGrant)
    }
    if device == .unspecified,
      let policy = policies.files.first(where: { policy in
        policy.rules.contains {
          $0.service == subject.service && $0.restrictsSomeDevice(for: account)
        }
      })
    {
      notes.append(.someDevices(file: policy.file))
    }
    return notes
  }

  /// True if a session of this boot was started with a grant for one recording.
  private func hasUsedGrant(_ subject: Subject) -> Bool {
    guard let boot = clock.boot else { return false }
    return records.sessionGrants(of: owner).values.contains {
      $0.covers(subject) && $0.boot == boot
    }
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
