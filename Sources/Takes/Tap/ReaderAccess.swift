internal import Linux
internal import Permission
internal import Store

/// The access of a program that reads the frames of a take. It does not depend on the access of the
/// take: the program may act for another client, and a grant for one recording allows either the
/// take or the program, not both.
struct ReaderAccess: Sendable {
  private let authority: Authority
  private let asked: AccessQuery
  /// The identifier of the reader. The reader's grant for one recording is stored under this
  /// identifier.
  private let reader: SessionID
  /// The meter mark, which lists the program as listening until the access ends.
  private let mark: Handoff<MeterMark?>

  init(
    _ authority: Authority, _ query: AccessQuery, reader: SessionID,
    _ mark: consuming MeterMark? = nil
  ) {
    (self.authority, self.reader) = (authority, reader)
    self.mark = Handoff(mark)
    var asked = query
    asked.session = reader
    self.asked = asked
  }

  /// Uses up a grant for one recording, and writes the result to the audit. Throws if the program
  /// has no access, or if an administrator requires the audit and it cannot be written.
  func begin() throws {
    let situation = try authority.consume(for: reader, asked)
    guard refused(in: situation).isEmpty else {
      throw authority.refusal(of: asked, in: situation)
    }
    if let failure = authority.record(.tap, asked, situation.decisions),
      let file = situation.policies.requiresAudit
    {
      end()
      throw TakeError.permission(.auditRequired(by: file, failure))
    }
  }

  /// Ends the grant of the reader, and removes the meter mark.
  func end() {
    _ = mark.take()
    try? authority.end(reader)
  }

  /// Returns the loss of access, or nil while the program has access.
  ///
  /// - Parameter silent: the services that the take has lost, so that their tracks are silent. The
  ///   access to these services is checked only if the program reads no track of another service.
  func loss(without silent: Set<Service>) -> AccessLoss? {
    var query = asked
    let needed = asked.services.subtracting(silent)
    if !needed.isEmpty { query.services = needed }
    return refused(in: authority.situation(query)).min { $0.isStricter(than: $1) }
      .map { AccessLoss(decision: $0, account: authority.account) }
  }

  private func refused(in situation: Situation) -> [Decision] {
    situation.decisions.filter { $0.status != .authorized }
  }
}
