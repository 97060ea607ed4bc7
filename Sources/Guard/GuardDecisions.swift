internal import Linux
internal import Permission

/// The decisions about connections to the sound server, stored until something changes. A
/// connection has one decision for each service, even if it has many streams. If an unknown program
/// is identified later, the query of its connection changes, so a new decision is made.
struct GuardDecisions {
  private var kept: [AccessQuery: Decision] = [:]
  /// The clock for the end of grants. Unlike the monotonic clock, it also runs while the machine
  /// sleeps.
  static let clock = KernelClock.bootTime
  /// The time on this clock at which the first decision expires, or nil if none expires.
  private(set) var expiry: Duration?
  /// The queries of connections whose use could not be logged when it began. These connections are
  /// refused, although their decisions allow them.
  private var unlogged: Set<AccessQuery> = []

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
  mutating func forget() { (kept, expiry) = ([:], nil) }

  /// Forgets the decisions about connections that have ended, and all decisions if one has expired.
  mutating func forget(unless sessions: Set<SessionID>, at now: Duration) {
    if let expiry, expiry <= now { forget() }
    kept = kept.filter { $0.key.session.map(sessions.contains) == true }
    unlogged = unlogged.filter { $0.session.map(sessions.contains) == true }
  }

  /// Refuses a connection until the log can be written again.
  mutating func refuse(unlogged query: AccessQuery) { unlogged.insert(query) }

  /// Returns whether a connection is refused because its use is not in the log.
  func isUnlogged(_ query: AccessQuery) -> Bool { unlogged.contains(query) }

  /// Ends the refusals of unlogged uses, because a line was added to the log. Returns whether any
  /// connection was refused.
  mutating func acceptUnlogged() -> Bool {
    defer { unlogged = [] }
    return !unlogged.isEmpty
  }
}
