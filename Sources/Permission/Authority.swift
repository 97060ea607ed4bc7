package import Linux

/// The interface to the permission. It reads everything that a decision depends on, and carries out
/// commands.
///
/// It does not print, prompt or cache. Each call reads the current state, so several instances can
/// be used at the same time.
package struct Authority: Sendable {
  /// The store with the user's decisions about callers. The audit of this store has the events of
  /// all clients.
  package private(set) var store: PermissionStore
  /// The administrator's policy directories.
  package let directories: PolicyDirectories
  /// The account that the permission belongs to.
  package let account: Account
  /// The process that asks for access, for the audit. It is looked up when an event is written.
  var process: @Sendable () -> ProcessFacts
  let clock: @Sendable () -> ClockReading
  /// The decisions in the portals' store, as the caller last read them.
  package var portal = PortalRecords.unread
  /// The function that finds the device for policies, or nil if the query has the device.
  package var device: (@Sendable (Policies) -> RequestedDevice)?
}

extension Authority {
  /// Reads everything that a decision depends on. Neither writes nor waits.
  package func situation(_ query: AccessQuery) -> Situation {
    situation(query, store(of: query.client.kind).read(), clock())
  }

  /// Returns the current decision: the strictest of the decisions about the services of the query.
  package func decide(_ query: AccessQuery) -> Decision { situation(query).decide() }

  /// The current reading of the clocks.
  package var now: ClockReading { clock() }

  /// Returns the store of the decisions about clients of one kind.
  package func store(of kind: Client.Kind) -> PermissionStore {
    var store = store
    store.kind = kind
    return store
  }

  /// Returns the same authority, with another process in its audit events.
  package func acting(for process: ProcessFacts) -> Authority {
    var other = self
    other.process = { process }
    return other
  }

  /// Returns a copy that waits at most this long while another process writes to the store.
  package func waiting(upTo patience: Duration) -> Authority {
    var other = self
    other.store = PermissionStore(path: store.path, owner: store.owner, patience: patience)
    return other
  }

  private func situation(
    _ query: AccessQuery, _ records: UserRecords, _ clock: ClockReading
  ) -> Situation {
    let policies = directories.load()
    return Situation(
      policies: policies, restrictions: query.restrictions, records: records,
      portal: portal, clock: clock,
      account: account, owner: store.owner, services: query.services, client: query.client,
      device: device?(policies) ?? query.device, session: query.session)
  }
}

extension Authority {
  /// Carries out a command if the situation allows it. The caller must wait for the sessions that
  /// the command ends, and must store the result of `Situation.portal(after:)` in the portals'
  /// store.
  package func perform(
    _ command: PermissionCommand, _ query: AccessQuery
  ) throws(StoreFailure) -> PermissionOutcome {
    let before = situation(query)
    switch before.transition(of: command) {
    case .none where command == .revoke:
      // The refusal is already stored, or the store is unusable and everything is refused. But a
      // session may not have stopped yet.
      return unchanged(command, query, before, mayEndSessions: true)
    case .none, .impossible: return unchanged(command, query, before)
    case .moveAway: return try moveAway(command, query, before)
    case .change: return try change(command, query, before)
    }
  }

  private func change(
    _ command: PermissionCommand, _ query: AccessQuery, _ seen: Situation
  ) throws(StoreFailure) -> PermissionOutcome {
    var (before, after) = (seen, seen)
    after.portal = seen.portal(after: command)
    let store = store(of: query.client.kind)
    let update = try store.update(at: before.clock.wall, clock: before.clock) { records in
      after.records = records
      return zip(before.decisions, after.decisions).map { before, after in
        event(command.kind, query, from: before, to: after, seen.clock)
      }
    } _: { records in
      // Evaluated under the lock, because another process may have stored a decision meanwhile.
      before.records = records
      guard case .change(let change) = before.transition(of: command) else { return nil }
      return change
    }
    after.records = update.after
    if let grants = before.replacedGrants(by: command) {
      after.records = try store.update(at: before.clock.wall) { records in
        records.ledger?.hasDecisions(in: grants) == true ? .forget(grants) : nil
      }.after
    }
    let transition = before.transition(of: command)
    // The stored state does not show whether a session must end, because a session may have its own
    // grant.
    let mayEnd = command.takesBack && after.decide().status != .authorized
    return PermissionOutcome(
      command: command, transition: transition, before: before, after: after,
      mayEndSessions: mayEnd,
      shortage: update.shortage, auditFailure: update.auditFailure)
  }

  private func moveAway(
    _ command: PermissionCommand, _ query: AccessQuery, _ before: Situation
  ) throws(StoreFailure) -> PermissionOutcome {
    let events = before.decisions.map { event(.reset, query, from: $0, to: nil, before.clock) }
    let store = store(of: query.client.kind)
    let moved = try store.moveAway(at: before.clock.wall, events: events)
    var after = before
    after.records = store.read()
    // If nothing was moved and the store is usable, another process has repaired the store. So the
    // command can be performed.
    if moved == nil, !after.records.isUnusable { return try perform(command, query) }
    return PermissionOutcome(
      command: command, transition: moved == nil ? .none : .moveAway, before: before, after: after,
      mayEndSessions: after.decide().status != .authorized, movedTo: moved?.path,
      auditFailure: moved?.auditFailure)
  }

  /// Returns the outcome of a command that changes nothing. Adds an event to the audit only for a
  /// request that did not get access.
  private func unchanged(
    _ command: PermissionCommand, _ query: AccessQuery, _ situation: Situation,
    mayEndSessions: Bool = false
  ) -> PermissionOutcome {
    let decision = situation.decide()
    var failure: StoreFailure?
    if case .request(let answer) = command, decision.status != .authorized {
      let wasAsked = answer == .notNow || answer == .interrupted
      failure = record(wasAsked ? .prompt : .refuse, query, situation.deciding)
    }
    return PermissionOutcome(
      command: command, transition: situation.transition(of: command), before: situation,
      after: situation,
      mayEndSessions: mayEndSessions, auditFailure: failure)
  }
}

extension Authority {
  /// Adds an event for each decision to the audit. Returns the failure, or nil if there was none.
  @discardableResult
  package func record(
    _ kind: AuditEvent.Kind, _ query: AccessQuery, _ decisions: [Decision],
    adding facts: (inout AuditEvent) -> Void = { _ in }
  ) -> StoreFailure? {
    do throws(StoreFailure) {
      for decision in decisions {
        var event = event(kind, query, from: decision, to: nil, clock())
        facts(&event)
        try store.audit.append(event)
      }
      return nil
    } catch {
      return error
    }
  }

  private func event(
    _ kind: AuditEvent.Kind, _ query: AccessQuery, from before: Decision, to after: Decision?,
    _ clock: ClockReading
  ) -> AuditEvent {
    AuditEvent(
      kind: kind, clock: clock, process: process(),
      subject: Subject(before.service, before.client), device: query.deviceName,
      output: query.output, from: before.status, to: after?.status,
      source: (after ?? before).source.name, reason: (after ?? before).reason)
  }
}

extension PermissionCommand {
  /// True if recordings may have to end after this command.
  package var takesBack: Bool {
    switch self {
    case .revoke, .reset: true
    case .status, .request, .grant: false
    }
  }

  /// The kind of event that the audit records for this command.
  fileprivate var kind: AuditEvent.Kind {
    switch self {
    case .status, .request: .prompt
    case .grant: .grant
    case .revoke: .revoke
    case .reset: .reset
    }
  }
}

extension Authority {
  /// Turns grants for one recording into a grant for this session. Returns the session's situation
  /// after this change. Access may still be refused in this situation.
  package func consume(
    for session: SessionID, _ query: AccessQuery
  ) throws(StoreFailure) -> Situation {
    var query = query
    query.session = session
    let situation = situation(query)
    guard situation.consumption != nil else { return situation }
    let store = store(of: query.client.kind)
    let update = try store.update(at: situation.clock.wall, clock: situation.clock) { records in
      var current = situation
      current.records = records
      return current.consumption
    }
    var after = situation
    after.records = update.after
    return after
  }

  /// Removes the grant of a session. For a killed recording session this is not necessary, because
  /// its name is never used again.
  package func end(
    _ session: SessionID, of kind: Client.Kind = .caller
  ) throws(StoreFailure) {
    let store = store(of: kind)
    // Most sessions have no grant of their own, and need no lock.
    guard store.read().ledger?.sessionGrants[session] != nil else { return }
    _ = try store.update(at: now.wall) { records in
      records.ledger?.sessionGrants[session] == nil ? nil : .end(session)
    }
  }
}

extension Situation {
  /// The change that turns valid grants for one recording into this session's grant, or nil if the
  /// session uses no such grant.
  var consumption: LedgerChange? {
    guard let session, let ledger = records.ledger, decide().status == .authorized else {
      return nil
    }
    let used = decisions.filter { decision in
      let subject = Subject(decision.service, client)
      return decision.reason == .once && ledger.records[subject]?.isForOneRecording == true
        && sessionGrant?.covers(subject) != true
    }
    guard let first = used.first, case .record(_, let origin) = first.source else { return nil }
    let services = Set(used.map(\.service))
    return .sessionGrant(session, about(services).newSessionGrant(by: origin))
  }
}

extension Authority {
  /// The permission of the user who runs this process, on this machine.
  package static func current() throws(DirectoryRefusal) -> Authority {
    let facts = try DirectoryRefusal.of("/", BaseDirectories.Facts.current())
    let machine = (try? HostIdentity.machine()) ?? nil
    let owner = StoreOwner(user: facts.user, machineID: machine)
    let boot = try? HostIdentity.boot()
    return Authority(
      store: PermissionStore(path: try BaseDirectories(facts).state, owner: owner),
      directories: .system, account: .current(facts.user), process: { .current() },
      clock: {
        ClockReading(boottime: KernelClock.bootTime.now, wall: .now, boot: boot)
      })
  }
}

extension Account {
  /// The account that runs this process, with the groups of the process and the groups of the user
  /// in the group database.
  package static func current(_ user: UInt32) -> Account {
    let entry = (try? UserAccount(user)) ?? nil
    return Account(id: user, name: entry?.name, groups: groups(of: entry))
  }

  private static func groups(of entry: UserAccount?) -> [Group] {
    let groups = Set((entry?.groups() ?? []) + ((try? UserGroup.ofProcess()) ?? []))
    return groups.sorted().map { Group(id: $0, name: ((try? UserGroup($0)) ?? nil)?.name) }
  }
}
