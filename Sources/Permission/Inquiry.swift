/// A question to the authority: the client, the device, and the limits that the call sets itself.
package struct Inquiry: Hashable, Sendable {
  /// The client that asks.
  package var client: Client
  /// The device to open.
  package var device: AskedDevice
  /// The refusals that this call asks for itself.
  package var wishes: Wishes
  /// The session that asks; nil before there is one.
  package var session: SessionID?
  /// The device's name as given, for the audit.
  package var deviceName: String?
  /// The output file's name, for the audit.
  package var output: String?

  /// An inquiry without names for the audit; those are set afterwards.
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
