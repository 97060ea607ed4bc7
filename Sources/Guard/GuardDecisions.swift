internal import Permission

/// The decisions about connections to the sound server, stored until something changes. A
/// connection has one decision for each service, even if it has many streams.
struct GuardDecisions {
  private struct Key: Hashable {
    let connection: UInt32
    /// The server reuses the numbers of connections for other processes.
    let process: Int32
    /// Its client changes if an unknown program is identified.
    let subject: Subject
  }

  private var kept: [Key: Decision] = [:]
  /// The time at which the first decision expires, or nil if none expires.
  private(set) var expiry: Duration?

  /// Returns the decision about a connection. Calls `decide` if none is stored.
  mutating func decision(
    on subject: Subject, of connection: UInt32, by process: Int32, at now: Duration,
    _ decide: () -> Decision
  ) -> Decision {
    let key = Key(connection: connection, process: process, subject: subject)
    if let known = kept[key] { return known }
    let decision = decide()
    kept[key] = decision
    expiry = [expiry, decision.remaining.map { now + $0 }].compactMap(\.self).min()
    return decision
  }

  /// Forgets all decisions.
  mutating func forget() { self = GuardDecisions() }

  /// Forgets the decisions about connections that have ended, and all decisions if one has expired.
  mutating func forget(unless connections: Set<UInt32>, at now: Duration) {
    if let expiry, expiry <= now { forget() }
    kept = kept.filter { connections.contains($0.key.connection) }
  }
}
