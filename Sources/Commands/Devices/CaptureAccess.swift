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
  /// The facts for decisions about all devices, read once. Nil if they cannot be read.
  private let situation: Situation?
  private let known: [DeviceDescription]

  /// Reads the current permission for these capture devices.
  init(_ known: [DeviceDescription] = DeviceList.kernel([.capture])) {
    self.known = known
    let restrictions = try? CallRestrictions(
      deny: false, noPromptOption: false, permission: Environment.value(of: "RECORDER_PERMISSION"),
      noPrompt: nil)
    situation = restrictions.flatMap { restrictions in
      try? Authority.current().situation(AccessQuery(restrictions: restrictions))
    }
  }

  /// The status if no particular microphone is named, or `.denied` if the permission cannot be
  /// read.
  var status: AuthorizationStatus { situation?.decide().status ?? .denied }

  /// Returns whether a device may be opened.
  func allows(_ device: String) -> Bool {
    guard var situation = situation?.about([Service(recording: device)]) else { return false }
    situation.device = RequestedDevice(resolving: device, among: known)
    return situation.decide().status == .authorized
  }
}
