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
    inquiry.output = plan.output.path
    return try PermissionDesk.permit(inquiry, console)
  }
}
