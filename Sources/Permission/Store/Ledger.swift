package import Linux

/// Everything that a user decided, as one file holds it.
package struct Ledger: Hashable, Sendable {
  /// Grows with every change.
  package let generation: UInt64
  /// For whom it was written.
  package let binding: Binding
  /// What was decided about each client.
  package let records: [Client: Record]
  /// The sessions that may go on whatever becomes of the records, short of a refusal.
  package let passes: [SessionID: Pass]

  package init(
    generation: UInt64, binding: Binding, records: [Client: Record],
    passes: [SessionID: Pass] = [:]
  ) {
    self.generation = generation
    self.binding = binding
    self.records = records
    self.passes = passes
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
  /// Gives a session a pass, and uses up the client's grant for one recording.
  case pass(SessionID, Pass)
  /// Takes the pass of a session back.
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

  /// What is left on another machine or for another user: every "no", and no grant.
  package func carried(to other: Binding) -> Ledger {
    guard other != binding else { return self }
    return Ledger(
      generation: generation, binding: other, records: records.filter { $1.isDenial })
  }

  /// The same without grants that are over, which only say that there was one.
  package func withoutOldGrants(_ clock: ClockReading) -> Ledger {
    Ledger(
      generation: generation, binding: binding,
      records: records.filter { $1.isDenial || $1.validity(clock) != .over }, passes: passes)
  }

  /// What is left under a marker of refusal: every "no", and one for everyone.
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

  /// A "no" for everyone also drops what single clients were granted: taken back later, it must not
  /// bring old grants to life again.
  private func refusing(_ client: Client, _ record: Record) -> Contents {
    let everyone = client == .everyone
    let kept = everyone ? records.filter { $1.isDenial } : records
    return (
      kept.merging([client: record]) { $1 },
      everyone ? [:] : passes.filter { $1.client != client }
    )
  }

  /// Sessions that were killed leave passes that nobody uses again; those of earlier boots go, and so
  /// does the oldest of too many.
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
  /// Whether a session uses it up.
  var isForOneRecording: Bool { if case .once = consent { true } else { false } }
}
