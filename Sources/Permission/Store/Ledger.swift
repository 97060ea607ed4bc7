package import Linux

/// All decisions of a user, as one file holds them.
package struct Ledger: Hashable, Sendable {
  /// The number of the ledger; every change adds 1.
  package let generation: UInt64
  /// The user and machine that the ledger was written for.
  package let binding: Binding
  /// The decision for each client.
  package let records: [Client: Record]
  /// The sessions that continue whatever happens to the records, except on a refusal.
  package let passes: [SessionID: Pass]

  /// A ledger from its parts, as decoding and changes make it.
  package init(
    generation: UInt64, binding: Binding, records: [Client: Record],
    passes: [SessionID: Pass] = [:]
  ) {
    self.generation = generation
    self.binding = binding
    self.records = records
    self.passes = passes
  }

  /// The ledger before the first decision.
  package static func empty(_ binding: Binding) -> Ledger {
    Ledger(generation: 0, binding: binding, records: [:])
  }
}

/// A change of the ledger by a user, or by a session for the user.
package enum Change: Hashable, Sendable {
  case record(Client, Record)
  /// Removes the record of a client; for everyone, all records and passes.
  case forget(Client)
  /// Gives a session a pass and uses up the client's grant for one recording.
  case pass(SessionID, Pass)
  /// Removes the pass of a session.
  case end(SessionID)
}

extension Ledger {
  /// The ledger after a change, in the next generation.
  package func applying(_ change: Change, for binding: Binding) -> Ledger {
    let mine = carried(to: binding)
    let (records, passes) = mine.contents(after: change)
    return Ledger(
      generation: generation + 1, binding: binding, records: records, passes: passes)
  }

  /// The ledger on another machine or for another user: every refusal and no grant.
  package func carried(to other: Binding) -> Ledger {
    guard other != binding else { return self }
    return Ledger(
      generation: generation, binding: other, records: records.filter { $1.isDenial })
  }

  /// The ledger without grants that are over, which decide nothing.
  package func withoutOldGrants(_ clock: ClockReading) -> Ledger {
    Ledger(
      generation: generation, binding: binding,
      records: records.filter { $1.isDenial || $1.validity(clock) != .over }, passes: passes)
  }

  /// The ledger under a marker: every refusal, and one for everyone.
  package func refusingEveryone(at time: WallTime) -> Ledger {
    let refusal = Record(.denied, at: time, by: .command)
    return applying(.record(.everyone, refusal), for: binding)
  }
}

extension Ledger {
  private typealias Contents = (records: [Client: Record], passes: [SessionID: Pass])

  private func contents(after change: Change) -> Contents {
    switch change {
    case .record(let client, let record) where record.isDenial: refusing(client, record)
    case .record(let client, let record): (records.merging([client: record]) { $1 }, passes)
    case .forget(.everyone): ([:], [:])
    case .forget(let client):
      (records.filter { $0.key != client }, passes.filter { $1.client != client })
    case .pass(let session, let pass): passing(session, pass)
    case .end(let session): (records, passes.filter { $0.key != session })
    }
  }

  /// A refusal for everyone also removes the grants of single clients: a later reset of the refusal
  /// must not restore them.
  private func refusing(_ client: Client, _ record: Record) -> Contents {
    let everyone = client == .everyone
    let kept = everyone ? records.filter { $1.isDenial } : records
    return (
      kept.merging([client: record]) { $1 },
      everyone ? [:] : passes.filter { $1.client != client }
    )
  }

  /// Killed sessions leave passes that are never used again: those of earlier boots are removed,
  /// and the oldest if there are too many.
  private func passing(_ session: SessionID, _ pass: Pass) -> Contents {
    var kept = passes.filter { $1.boot == pass.boot || $1.boot == nil }
    while kept.count >= Self.mostPasses, let oldest = kept.min(by: { $0.value.at < $1.value.at }) {
      kept[oldest.key] = nil
    }
    kept[session] = pass
    return (records.filter { $0 != pass.client || !$1.isForOneRecording }, kept)
  }

  private static let mostPasses = 64
}

extension Record {
  /// True if a session uses the record up.
  var isForOneRecording: Bool { if case .once = consent { true } else { false } }
}
