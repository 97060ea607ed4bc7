package import Linux

/// A command about the permission.
package enum PermissionCommand: Hashable, Sendable {
  case status
  /// A request for permission, with the user's answer or the reason why there is no answer.
  case request(PromptAnswer)
  case grant(GrantTerm)
  case revoke
  case reset(force: Bool)
}

/// The outcome of a question at the prompt.
package enum PromptAnswer: Hashable, Sendable {
  case always
  /// Permission for this session, or for the next session if the request comes from no session.
  case onlyThisTime
  case never
  /// Enter, the end of the input, or no answer in time.
  case notNow
  /// Ctrl-C.
  case interrupted
  /// There was no terminal for the prompt.
  case noTerminal
}

/// The term of a grant.
package enum GrantTerm: Hashable, Sendable {
  case forever
  case once
  case lasting(Duration)
  case until(WallTime)

  /// The shortest and the longest limited grant: 10 seconds to 30 days.
  package static let range = Duration.seconds(10)...Duration.seconds(30 * 86_400)

  /// Returns the time from `clock` to the end of the grant, or nil if the grant is unlimited.
  package func duration(from clock: ClockReading) -> Duration? {
    switch self {
    case .forever: nil
    case .once: Record.onceWaits
    case .lasting(let duration): duration
    case .until(let time): time - clock.wall
    }
  }

  /// Returns the consent to store. For a limited term, returns nil if the term is out of range or
  /// the boot is unknown.
  package func consent(from clock: ClockReading) -> Record.Consent? {
    guard let duration = duration(from: clock) else { return .forever }
    guard Self.range.contains(duration), let limit = GrantLimit(duration, from: clock) else {
      return nil
    }
    return self == .once ? .once(limit) : .timed(limit)
  }
}

/// The effect of a command on the user's record in one situation.
package enum Transition: Hashable, Sendable {
  /// Nothing is stored: the command only reads, is not permitted, or changes nothing.
  case none
  case change(LedgerChange)
  /// The store cannot be trusted, and is moved away.
  case moveAway
  /// A limited grant is outside the possible range, or the system has no boot identity.
  case impossible
}

extension Situation {
  /// Returns the transition that `command` makes in this situation.
  package func transition(of command: PermissionCommand) -> Transition {
    let decision = decide()
    switch command {
    case .status: return .none
    case .request(let answer):
      return decision.noPrompt == nil ? about(undecided).transition(of: answer) : .none
    case .grant(let term):
      // A grant cannot lift a restriction. No grant is stored while a policy or the store is
      // faulty.
      return decision.status == .restricted || decision.isUntrusted || records.isUnusable
        ? .none : grant(term, by: .command)
    case .revoke: return isDeniedAlready ? .none : change(.denied, by: .command)
    case .reset(let force): return reset(force: force, decision)
    }
  }

  private func transition(of answer: PromptAnswer) -> Transition {
    switch answer {
    case .always: grant(.forever, by: .prompt)
    case .onlyThisTime:
      session.map { .change(.sessionGrant($0, newSessionGrant(by: .prompt))) }
        ?? grant(.once, by: .prompt)
    case .never: change(.denied, by: .prompt)
    case .notNow, .interrupted, .noTerminal: .none
    }
  }

  /// The undecided services. The user is asked only about these services.
  package var undecided: Set<Service> {
    Set(decisions.filter { $0.status == .notDetermined }.map(\.service))
  }

  /// Returns a grant for the session of this query, starting now.
  func newSessionGrant(by origin: Record.Origin) -> SessionGrant {
    SessionGrant(scope, at: clock.wall, by: origin, boot: clock.boot)
  }

  private func grant(_ term: GrantTerm, by origin: Record.Origin) -> Transition {
    term.consent(from: clock).map { change($0, by: origin) } ?? .impossible
  }

  private func change(_ consent: Record.Consent, by origin: Record.Origin) -> Transition {
    let own = ownServices(for: consent)
    guard !own.isEmpty else { return .change(.forget(scope)) }
    return .change(.record(Scope(own, client), Record(consent, at: clock.wall, by: origin)))
  }

  private func reset(force: Bool, _ decision: Decision) -> Transition {
    if case .unusable(let fault) = records {
      return force && fault.canBeMovedAway ? .moveAway : .none
    }
    return decision.reason == .policyUnusable || !hasSomethingToReset
      ? .none : .change(.forget(scope))
  }

  /// True if the same refusal is already stored, or if the store is unusable and accepts no
  /// refusal.
  private var isDeniedAlready: Bool {
    let own = ownServices(for: .denied)
    return records.isUnusable
      || scope.subjects.allSatisfy {
        own.contains($0.service)
          ? records.ledger?.records[$0]?.isDenial == true : portal.decision(about: $0) == false
      }
  }

  private var hasSomethingToReset: Bool {
    if case .marker = records { return true }
    if scope.subjects.contains(where: { portal.decision(about: $0) != nil }) { return true }
    return records.ledger?.hasDecisions(in: scope) ?? false
  }
}

extension Situation {
  /// Returns the situation after a command, assuming that every change can be written.
  package func after(_ command: PermissionCommand) -> Situation {
    var after = self
    after.records = records.after(
      transition(of: command), for: owner, of: client.kind, at: clock.wall)
    after.portal = portal(after: command)
    return after
  }
}

extension UserRecords {
  /// Returns the records after a transition that succeeded.
  package func after(
    _ transition: Transition, for owner: StoreOwner, of kind: Client.Kind, at time: WallTime
  ) -> UserRecords {
    switch transition {
    case .none, .impossible: self
    case .moveAway: .absent
    case .change(let change):
      .ledger(base(for: owner, of: kind, at: time).applying(change, for: owner))
    }
  }

  /// Returns the ledger that a change applies to.
  func base(for owner: StoreOwner, of kind: Client.Kind, at time: WallTime) -> Ledger {
    switch self {
    case .ledger(let ledger): ledger
    case .marker: Ledger.empty(owner, of: kind).refusingEverything(at: time)
    case .absent, .unusable: .empty(owner, of: kind)
    }
  }
}

/// A command that was carried out, with the situations before and after it.
package struct PermissionOutcome: Hashable, Sendable {
  /// The command that was given.
  package let command: PermissionCommand
  /// The transition that was made.
  package let transition: Transition
  /// The situation before the transition. If the transition is a change, the records of this
  /// situation were read under the lock.
  package let before: Situation
  /// The situation after the transition.
  package let after: Situation
  /// True if sessions may have to end because of the command.
  package var mayEndSessions = false
  /// The new path of a store that was moved away, or nil if no store was moved.
  package var movedTo: String?
  /// The error that prevented a refusal from being written, or nil if there was no error. After an
  /// error, only a marker represents the refusal.
  package var shortage: SystemError?
  /// The failure to audit the command, or nil if there was none.
  package var auditFailure: StoreFailure?

  /// Whether the command replaced a valid grant by a grant that expires earlier.
  package var shortensGrant: Bool {
    let (former, latter) = (before.decide(), after.decide())
    guard case .grant = command, case .record = former.source else { return false }
    return former.status == .authorized && latter.status == .authorized
      && latter.isStricter(than: former)
  }
}
