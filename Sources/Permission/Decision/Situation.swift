internal import Linux
/// All facts that the status depends on; a decision reads nothing else.
package struct Situation: Hashable, Sendable {
  /// The administrator's policies.
  package var policies: Policies
  /// The refusals that this call asks for itself.
  package var wishes: Wishes
  /// The user's decisions.
  package var records: UserRecords
  /// Both clocks, read together.
  package var clock: ClockReading
  /// The account that asks.
  package var account: Account
  /// The user and machine that a record must be bound to.
  package var binding: Binding
  /// The client that asks.
  package var client: Client
  /// The device to open.
  package var device: AskedDevice
  /// The session that asks; nil before there is one.
  package var session: SessionID?

  /// A situation from its parts; by default nothing is decided and no device is named.
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

/// The contents of the user's store.
package enum UserRecords: Hashable, Sendable {
  /// Nothing was ever decided.
  case absent
  case ledger(Ledger)
  /// A refusal that did not fit on the disk; the file at this path marks it by existing.
  case marker(String)
  case unusable(StoreFault)

  /// The ledger; nil if the store has none.
  package var ledger: Ledger? {
    guard case .ledger(let ledger) = self else { return nil }
    return ledger
  }
}
