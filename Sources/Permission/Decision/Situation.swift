internal import Linux
/// Everything that the status follows from; nothing else is read to decide.
package struct Situation: Hashable, Sendable {
  /// What the administrator says.
  package var policies: Policies
  /// What this call forbids itself.
  package var wishes: Wishes
  /// What the user decided.
  package var records: UserRecords
  /// What the clocks say.
  package var clock: ClockReading
  /// Who the user is.
  package var account: Account
  /// For whom a record must have been written to count.
  package var binding: Binding
  /// In whose name is asked.
  package var client: Client
  /// What is to be opened.
  package var device: AskedDevice
  /// The session that asks, once there is one.
  package var session: SessionID?

  package init(
    policies: Policies = .none, wishes: Wishes = Wishes(), records: UserRecords = .absent,
    clock: ClockReading, account: Account, binding: Binding, client: Client = .everyone,
    device: AskedDevice = .unspecified, session: SessionID? = nil
  ) {
    self.policies = policies
    self.wishes = wishes
    self.records = records
    self.clock = clock
    self.account = account
    self.binding = binding
    self.client = client
    self.device = device
    self.session = session
  }
}

/// What the user's store holds.
package enum UserRecords: Hashable, Sendable {
  /// Nothing was ever decided.
  case absent
  case ledger(Ledger)
  /// A "no" that found no room on the disk: the file at this path says it by being there.
  case marker(String)
  case unusable(StoreFault)

  /// The ledger, where there is one.
  package var ledger: Ledger? {
    guard case .ledger(let ledger) = self else { return nil }
    return ledger
  }
}
