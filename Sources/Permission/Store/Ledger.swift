/// Everything that a user decided, as one file holds it.
package struct Ledger: Hashable, Sendable {
  /// Grows with every change.
  package let generation: UInt64
  package let binding: Binding
  package let records: [Client: Record]

  package init(generation: UInt64, binding: Binding, records: [Client: Record]) {
    self.generation = generation
    self.binding = binding
    self.records = records
  }

  /// What stands before the first decision.
  package static func empty(_ binding: Binding) -> Ledger {
    Ledger(generation: 0, binding: binding, records: [:])
  }
}

/// What a user, or a session on the user's behalf, does to the ledger.
package enum Change: Hashable, Sendable {
  case record(Client, Record)
  /// Forgets what was said about a client; about everyone, all that was ever said.
  case forget(Client)
  /// Takes back the grant that this session has consumed.
  case end(SessionID)
}

extension Ledger {
  /// The ledger after a change, in the next generation.
  ///
  /// A "no" for everyone also drops what single clients were granted: taken back later, it must
  /// not bring old grants to life again.
  package func applying(_ change: Change, for binding: Binding) -> Ledger {
    var records = carried(to: binding).records
    switch change {
    case .record(.everyone, let record) where record.isDenial:
      records = records.filter { $1.isDenial }
      records[.everyone] = record
    case .record(let client, let record): records[client] = record
    case .forget(.everyone): records = [:]
    case .forget(let client): records[client] = nil
    case .end(let session): records = records.filter { $1.consent != .consumed(session) }
    }
    return Ledger(generation: generation + 1, binding: binding, records: records)
  }

  /// What is left on another machine or for another user: every "no", and no grant.
  package func carried(to other: Binding) -> Ledger {
    guard other != binding else { return self }
    return Ledger(
      generation: generation, binding: other, records: records.filter { $1.isDenial })
  }

  /// What is left under a marker of refusal: every "no", and one for everyone.
  package func refusingEveryone(at time: WallTime) -> Ledger {
    let refusal = Record(.denied, at: time, by: .command)
    return applying(.record(.everyone, refusal), for: binding)
  }
}
