internal import Devices
internal import Linux
internal import Permission
internal import Takes

/// The permission to open capture devices in order to read their capabilities.
///
/// Opening a device records nothing. But it occupies the device and may switch on its indicator
/// light, so it needs microphone access. The user is not prompted, and no decision and no audit
/// entry is stored.
struct CaptureAccess {
  private let authority: Authority?
  private let restrictions: CallRestrictions?
  private let known: [DeviceDescription]

  /// Reads the current permission for these capture devices.
  init(_ known: [DeviceDescription] = DeviceList.kernel([.capture])) {
    self.known = known
    authority = try? Authority.current()
    restrictions = try? CallRestrictions(
      deny: false, noPromptOption: false, permission: Environment.value(of: "RECORDER_PERMISSION"),
      noPrompt: nil)
  }

  /// The status if no particular microphone is named, or `.denied` if the permission cannot be
  /// read.
  var status: AuthorizationStatus { status(AccessQuery()) }

  /// Returns whether a device may be opened.
  func allows(_ device: String) -> Bool {
    let card = RequestedDevice(resolving: device, among: known)
    return status(AccessQuery([Service(recording: device)], device: card)) == .authorized
  }

  private func status(_ query: AccessQuery) -> AuthorizationStatus {
    guard let authority, let restrictions else { return .denied }
    var query = query
    query.restrictions = restrictions
    return authority.decide(query).status
  }
}
