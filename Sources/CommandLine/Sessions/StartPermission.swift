internal import Control
internal import Permission

/// Asks for the microphone's permission before anything of a recording is touched.
enum StartPermission {
  /// Lets the recording begin, or throws what the user is told; the session reads again.
  static func permit(
    _ plan: RecordingPlan, deny: Bool, noPrompt: Bool, _ console: Console
  ) throws(Failure) -> Permit {
    var inquiry = try PermissionDesk.inquiry(
      plan.client.flatMap(Client.init), deny: deny, noPrompt: noPrompt)
    inquiry.session = SessionID(plan.identifier)
    inquiry.deviceName = plan.capture.device
    // What a name of ALSA's leads to only the session finds out; a built-in device is what it is called.
    if plan.capture.device.hasPrefix("test:") {
      inquiry.device = .card(names: [plan.capture.device])
    }
    inquiry.output = plan.output.path
    return try PermissionDesk.permit(inquiry, console)
  }
}
