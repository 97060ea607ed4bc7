internal import Linux
internal import Permission

/// The access of a program that reads the frames of a take. It is separate from the access of the
/// take, because the program may act for another client.
struct ReaderAccess: Sendable {
  private let authority: Authority
  private let asked: AccessQuery
  /// The services that the user allowed only for this recording.
  private let allowedAlone: Set<Service>

  init(_ authority: Authority, _ query: AccessQuery, allowedAlone: Set<Service>) {
    self.authority = authority
    asked = query
    self.allowedAlone = allowedAlone
  }

  /// Throws unless the program has access. Writes the result to the audit. A failure to do so is
  /// thrown only if an administrator requires the audit.
  func begin() throws {
    let situation = authority.situation(asked)
    guard refused(in: situation).isEmpty else {
      throw authority.refusal(of: asked, in: situation)
    }
    if let failure = authority.record(.tap, asked, situation.decisions),
      let file = situation.policies.requiresAudit
    {
      throw TakeError.permission(.auditRequired(by: file, failure))
    }
  }

  /// Returns the loss of access, or nil while the program has access.
  ///
  /// - Parameter silent: the services whose tracks are silent in the take, because the take has
  ///   lost them. The program needs them only if it needs no others.
  func loss(without silent: Set<Service>) -> AccessLoss? {
    var query = asked
    let needed = asked.services.subtracting(silent)
    if !needed.isEmpty { query.services = needed }
    return refused(in: authority.situation(query)).min { $0.isStricter(than: $1) }
      .map { AccessLoss(decision: $0, account: authority.account) }
  }

  private func refused(in situation: Situation) -> [Decision] {
    situation.decisions.filter { !$0.isAllowed(alone: allowedAlone) }
  }
}
