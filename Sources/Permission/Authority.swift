internal import Linux

/// The permission as a program uses it: reads everything that a decision depends on and carries out
/// commands.
///
/// It prints nothing, caches nothing and prompts nobody, so several may exist, and each call reads
/// the state afresh.
package struct Authority: Sendable {
  /// The user's decisions.
  package let store: PermissionStore
  /// The administrator's policy directories.
  package let directories: PolicyDirectories
  /// The account that the permission belongs to.
  package let account: Account
  /// The calling process, for the audit.
  package let process: ProcessFacts
  private let clock: @Sendable () -> ClockReading

  /// Joins the parts of an authority; `clock` is read once for every decision.
  package init(
    store: PermissionStore, directories: PolicyDirectories, account: Account,
    process: ProcessFacts, clock: @escaping @Sendable () -> ClockReading
  ) {
    self.store = store
    self.directories = directories
    self.account = account
    self.process = process
    self.clock = clock
  }
}

extension Authority {
  /// Everything that decides, read now; writes nothing and waits for nothing.
  package func situation(_ inquiry: Inquiry) -> Situation {
    situation(inquiry, store.read(), clock())
  }

  /// The decision that holds now.
  package func decide(_ inquiry: Inquiry) -> Decision { situation(inquiry).decide() }

  /// The clocks of this authority, read now.
  package var now: ClockReading { clock() }

  private func situation(
    _ inquiry: Inquiry, _ records: UserRecords, _ clock: ClockReading
  ) -> Situation {
    Situation(
      policies: directories.load(), wishes: inquiry.wishes, records: records, clock: clock,
      account: account, binding: store.binding, client: inquiry.client, device: inquiry.device,
      session: inquiry.session)
  }
}

extension Authority {
  /// Carries out a command as far as the situation allows it.
  ///
  /// - Parameter stop: ends the sessions of a client without permission and returns them; called
  ///   after the refusal is stored.
  package func perform(
    _ command: PermissionCommand, _ inquiry: Inquiry,
    stop: (Client) -> StoppedSessions = { _ in StoppedSessions() }
  ) throws(StoreFailure) -> Performed {
    let before = situation(inquiry)
    switch before.transition(of: command) {
    case .none where command == .revoke:
      // Refused before; a session may still not have stopped then.
      return unchanged(command, inquiry, before, stopped: stop(inquiry.client))
    case .none, .impossible: return unchanged(command, inquiry, before)
    case .moveAway: return try moveAway(command, inquiry, before, stop)
    case .change: return try change(command, inquiry, before, stop)
    }
  }

  private func change(
    _ command: PermissionCommand, _ inquiry: Inquiry, _ seen: Situation,
    _ stop: (Client) -> StoppedSessions
  ) throws(StoreFailure) -> Performed {
    var (before, after) = (seen, seen)
    let update = try store.update(at: before.clock.wall, clock: before.clock) { records in
      after.records = records
      return event(command.kind, inquiry, from: before.decide(), to: after.decide(), after.clock)
    } _: { records in
      // Under the lock, because somebody may have decided meanwhile.
      before.records = records
      guard case .change(let change) = before.transition(of: command) else { return nil }
      return change
    }
    after.records = update.after
    let transition = before.transition(of: command)
    // The stored state alone does not show that anything ended: a session may depend on its own
    // pass.
    let mayEnd = command.takesBack && after.decide().status != .authorized
    return Performed(
      command, transition, before: before, after: after,
      stopped: mayEnd ? stop(inquiry.client) : StoppedSessions(), shortage: update.shortage,
      auditFailure: update.auditFailure)
  }

  private func moveAway(
    _ command: PermissionCommand, _ inquiry: Inquiry, _ before: Situation,
    _ stop: (Client) -> StoppedSessions
  ) throws(StoreFailure) -> Performed {
    let event = event(.reset, inquiry, from: before.decide(), to: nil, before.clock)
    let moved = try store.moveAway(at: before.clock.wall, event: event)
    var after = before
    after.records = store.read()
    let mayEnd = after.decide().status != .authorized
    return Performed(
      command, .moveAway, before: before, after: after,
      stopped: mayEnd ? stop(inquiry.client) : StoppedSessions(), movedTo: moved?.place,
      auditFailure: moved?.auditFailure)
  }

  /// A request that is refused or gets no answer is audited too; `status` alone never writes.
  private func unchanged(
    _ command: PermissionCommand, _ inquiry: Inquiry, _ situation: Situation,
    stopped: StoppedSessions = StoppedSessions()
  ) -> Performed {
    let decision = situation.decide()
    var failure: StoreFailure?
    if case .request(let answer) = command, decision.status != .authorized {
      let wasAsked = answer == .notNow || answer == .interrupted
      failure = tell(wasAsked ? .prompt : .refuse, inquiry, decision)
    }
    return Performed(
      command, situation.transition(of: command), before: situation, after: situation,
      stopped: stopped, auditFailure: failure)
  }
}

extension Authority {
  /// Adds an event to the audit; returns the failure if it could not.
  @discardableResult
  package func tell(
    _ kind: AuditEvent.Kind, _ inquiry: Inquiry, _ decision: Decision,
    adding facts: (inout AuditEvent) -> Void = { _ in }
  ) -> StoreFailure? {
    var event = event(kind, inquiry, from: decision, to: nil, clock())
    facts(&event)
    do {
      try store.audit.append(event)
      return nil
    } catch {
      return error
    }
  }

  private func event(
    _ kind: AuditEvent.Kind, _ inquiry: Inquiry, from before: Decision, to after: Decision?,
    _ clock: ClockReading
  ) -> AuditEvent {
    var event = AuditEvent(kind, at: clock, by: process, client: inquiry.client)
    event.device = inquiry.deviceName
    event.output = inquiry.output
    event.from = before.status
    event.to = after?.status
    event.source = (after ?? before).source.name
    event.reason = (after ?? before).reason
    return event
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
