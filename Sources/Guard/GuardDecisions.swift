internal import Linux
internal import Permission

/// The decisions about connections to the sound server, stored until something changes. A
/// connection has one decision for each service, even if it has many streams. Its client changes if
/// an unknown program is identified.
struct GuardDecisions {
  private var kept: [AccessQuery: Decision] = [:]
  /// The clock of the grants that expire. Unlike the monotonic clock, it counts sleep.
  static let clock = KernelClock.bootTime
  /// The time on this clock at which the first decision expires, or nil if none expires.
  private(set) var expiry: Duration?

  /// Returns the decision about a connection. Calls `decide` if none is stored.
  mutating func decision(
    on query: AccessQuery, at now: Duration, _ decide: (AccessQuery) -> Decision
  ) -> Decision {
    if let known = kept[query] { return known }
    let decision = decide(query)
    kept[query] = decision
    expiry = [expiry, decision.remaining.map { now + $0 }].compactMap(\.self).min()
    return decision
  }

  /// Forgets all decisions.
  mutating func forget() { self = GuardDecisions() }

  /// Forgets the decisions about connections that have ended, and all decisions if one has expired.
  mutating func forget(unless sessions: Set<SessionID>, at now: Duration) {
    if let expiry, expiry <= now { forget() }
    kept = kept.filter { $0.key.session.map(sessions.contains) == true }
  }
}
