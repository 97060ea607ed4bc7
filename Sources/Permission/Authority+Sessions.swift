extension Authority {
  /// Turns a grant for one recording into a pass for this session. Returns the decision that then
  /// holds for the session, which may be a refusal.
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

  /// Removes the pass of a session. A killed session needs no call: its name is never used again.
  package func end(_ session: SessionID) throws(StoreFailure) {
    _ = try store.update(at: now.wall) { records in
      records.ledger?.passes[session] == nil ? nil : .end(session)
    }
  }
}

extension Situation {
  /// The change that turns a valid grant for one recording into this session's pass; nil if there
  /// is no such grant or the session has its pass already.
  var consumption: Change? {
    guard let session, decide().reason == .once, let record = records.ledger?.records[client],
      record.isForOneRecording, records.ledger?.passes[session] == nil
    else { return nil }
    return .pass(session, newPass(by: record.by))
  }
}
