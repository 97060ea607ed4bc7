package import Linux

/// The user's decision about one client.
package struct Record: Hashable, Sendable {
  /// The decision itself.
  package enum Consent: Hashable, Sendable {
    case denied
    case forever
    /// For a limited time, restarts included.
    case timed(Limit)
    /// For the next session, which must begin within the limit and before a restart.
    case once(Limit)
  }

  /// The origin of a decision.
  package enum Origin: String, CaseIterable, Sendable {
    case prompt
    case command
  }

  /// The decision.
  package let consent: Consent
  /// The time of the decision, in whole seconds.
  package let at: WallTime
  /// The origin of the decision.
  package let by: Origin

  /// A record; the time is cut to whole seconds.
  package init(_ consent: Consent, at time: WallTime, by origin: Origin) {
    self.consent = consent
    self.at = time.wholeSeconds
    self.by = origin
  }

  /// The time within which a grant for one recording must be used: 10 minutes.
  package static let onceWaits = Duration.seconds(600)

  /// True for a refusal.
  package var isDenial: Bool { consent == .denied }
}

extension Record {
  /// The validity of a grant, with the time left if it is limited.
  package enum Validity: Hashable, Sendable {
    case valid(remaining: Duration?)
    case over
  }

  /// The validity of the grant at this moment; a refusal is never valid.
  package func validity(_ clock: ClockReading) -> Validity {
    switch consent {
    case .denied: .over
    case .forever: .valid(remaining: nil)
    case .once(let limit): Self.validity(limit.remainingInThisBoot(clock))
    case .timed(let limit):
      Self.validity(
        limit.remainingInThisBoot(clock) ?? limit.remainingAfterRestart(clock, granted: at))
    }
  }

  private static func validity(_ remaining: Duration?) -> Validity {
    remaining.map { .valid(remaining: $0) } ?? .over
  }
}
