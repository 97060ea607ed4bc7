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
    let update = try store.update(at: situation.clock.wall, clock: situation.clock) { records in
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
      records.ledger?.passes[session] == nil ? nil : .end(session)
    }
  }
}

extension Situation {
  /// What makes a grant for one recording this session's own, where there is one that holds.
  var consumption: Change? {
    guard let session, decide().reason == .once, let record = records.ledger?.records[client],
      record.isForOneRecording, records.ledger?.passes[session] == nil
    else { return nil }
    return .pass(session, newPass(by: record.by))
  }
}
