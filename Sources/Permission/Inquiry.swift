/// What is asked about: who asks, with which device, and what this call itself forbids.
package struct Inquiry: Hashable, Sendable {
  /// In whose name is asked.
  package var client: Client
  /// What is to be opened.
  package var device: AskedDevice
  /// What this call forbids itself.
  package var wishes: Wishes
  /// The session that asks, once there is one.
  package var session: SessionID?
  /// The device's and the file's names, for the audit.
  package var deviceName: String?
  package var output: String?

  package init(
    client: Client = .everyone, device: AskedDevice = .unspecified, wishes: Wishes = Wishes(),
    session: SessionID? = nil
  ) {
    self.client = client
    self.device = device
    self.wishes = wishes
    self.session = session
  }
}
