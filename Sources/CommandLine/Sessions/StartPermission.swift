internal import Control
internal import Linux
internal import Permission

/// Refuses a start without the microphone's permission, before anything is touched.
enum StartPermission {
  /// Returns where the recording may be made, and throws what the user is told otherwise.
  ///
  /// The session asks again, so this is only for a message in time.
  static func require(
    for plan: RecordingPlan, deny: Bool, noPrompt: Bool
  ) throws(Failure) {
    let authority = try PermissionDesk.authority()
    let inquiry = try inquiry(plan, deny: deny, noPrompt: noPrompt)
    guard authority.decide(inquiry).status != .authorized else { return }
    let performed: Performed
    do throws(StoreFailure) {
      performed = try authority.perform(.request(.noTerminal), inquiry)
    } catch {
      throw PermissionDesk.failure(error, still: authority.decide(inquiry))
    }
    let report = PermissionDesk.phrasing.report(performed)
    throw Failure(
      ExitCode(rawValue: report.exit.rawValue) ?? .permissionDenied,
      PermissionDesk.message(report))
  }

  private static func inquiry(
    _ plan: RecordingPlan, deny: Bool, noPrompt: Bool
  ) throws(Failure) -> Inquiry {
    let wishes: Wishes
    do throws(Wishes.UsageError) {
      wishes = try Wishes(
        deny: deny, noPromptOption: noPrompt,
        permission: Environment.value(of: "RECORDER_PERMISSION"),
        noPrompt: Environment.value(of: "RECORDER_NO_PROMPT"))
    } catch {
      throw Failure(.usage, Message(error.description, advice: "unset it, or set it to deny"))
    }
    var inquiry = Inquiry(client: plan.client.flatMap(Client.init) ?? .everyone, wishes: wishes)
    inquiry.deviceName = plan.capture.device
    inquiry.output = plan.output.path
    return inquiry
  }
}
