internal import Control
internal import Permission

/// Asks for microphone access before a recording touches anything.
enum StartPermission {
  /// Returns if the recording may start, else throws the reason; the session checks again.
  static func permit(
    _ plan: RecordingPlan, deny: Bool, noPrompt: Bool, _ console: Console
  ) throws(Failure) -> Permit {
    var inquiry = try PermissionDesk.inquiry(
      plan.client.flatMap(Client.init), deny: deny, noPrompt: noPrompt)
    inquiry.session = SessionID(plan.identifier)
    inquiry.deviceName = plan.capture.device
    // Only the session can resolve a name of ALSA to a card; a built-in device is known by its
    // name.
    if plan.capture.device.hasPrefix("test:") {
      inquiry.device = .card(names: [plan.capture.device])
    }
    inquiry.output = plan.output.path
    return try PermissionDesk.permit(inquiry, console)
  }
}
