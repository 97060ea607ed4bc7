package import Linux

/// What a user decided about one client.
package struct Record: Hashable, Sendable {
  /// The decision itself.
  package enum Consent: Hashable, Sendable {
    case denied
    case forever
    /// For a limited time, over restarts too.
    case timed(Limit)
    /// For the next session, which must begin within the limit and before a restart.
    case once(Limit)
  }

  /// How the decision was made.
  package enum Origin: String, CaseIterable, Sendable {
    case prompt
    case command
  }

  /// What was decided.
  package let consent: Consent
  /// When it was decided.
  package let at: WallTime
  /// How it was decided.
  package let by: Origin

  package init(_ consent: Consent, at time: WallTime, by origin: Origin) {
    self.consent = consent
    self.at = time.wholeSeconds
    self.by = origin
  }

  /// How long an unused grant for one session waits for it.
  package static let onceWaits = Duration.seconds(600)

  /// Whether it is a "no".
  package var isDenial: Bool { consent == .denied }
}

extension Record {
  /// Whether the grant holds, and for how long where that is limited.
  package enum Validity: Hashable, Sendable {
    case valid(remaining: Duration?)
    case over
  }

  /// What the grant is worth at this moment; a denial is worth nothing.
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
