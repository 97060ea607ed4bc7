internal import Devices
internal import Linux
internal import Permission
internal import Takes

/// The permission to open capture devices in order to learn what they can do.
///
/// Opening one records nothing, but it occupies the device and may light its lamp: that is for those
/// who may use it. Nobody is asked, and nothing is written.
struct CaptureAccess {
  private let authority: Authority?
  private let wishes: Wishes?
  private let known: [DeviceDescription]

  /// The one of now, with the capture devices that there are.
  init(_ known: [DeviceDescription] = DeviceList.all(.capture)) {
    self.known = known
    authority = try? Authority.current()
    wishes = try? Wishes(
      deny: false, noPromptOption: false, permission: Environment.value(of: "RECORDER_PERMISSION"),
      noPrompt: nil)
  }

  /// The answer for the microphone as such; refused where nothing can be read that decides.
  var status: AuthorizationStatus { status(.unspecified) }

  /// True if a device may be opened.
  func allows(_ device: String) -> Bool {
    status(AskedDevice(resolving: device, among: known)) == .authorized
  }

  private func status(_ device: AskedDevice) -> AuthorizationStatus {
    guard let authority, let wishes else { return .denied }
    return authority.decide(Inquiry(device: device, wishes: wishes)).status
  }
}
