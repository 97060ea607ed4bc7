extension Authority {
  /// Lets a session use the permission: a grant for one recording becomes this session's own. Returns
  /// what then holds for it, which may be a refusal.
  package func consume(
    for session: SessionID, _ inquiry: Inquiry
  ) throws(StoreFailure) -> Decision {
    var inquiry = inquiry
    inquiry.session = session
    let situation = situation(inquiry)
    guard situation.consumption != nil else { return situation.decide() }
    let update = try store.update(at: situation.clock.wall) { records in
      var current = situation
      current.records = records
      return current.consumption
    }
    var after = situation
    after.records = update.after
    return after.decide()
  }

  /// Takes back what a session consumed; a session that was killed needs none of this, for no other
  /// ever has its name.
  package func end(_ session: SessionID) throws(StoreFailure) {
    _ = try store.update(at: now.wall) { records in
      let consumed = records.ledger?.records.values.contains { $0.consent == .consumed(session) }
      return consumed == true ? .end(session) : nil
    }
  }
}

extension Situation {
  /// What makes a grant for one recording this session's own, where there is one that holds.
  var consumption: Change? {
    guard let session, decide().reason == .once, let record = records.ledger?.records[client],
      case .once = record.consent
    else { return nil }
    return .record(client, Record(.consumed(session), at: record.at, by: record.by))
  }
}
