internal import Linux
internal import Permission

extension PermissionDesk {
  /// Asks for the microphone if nothing was decided; throws if this run has no permission then.
  static func permit(_ inquiry: Inquiry, _ console: Console) throws(Failure) -> Permit {
    let prompt = PermissionPrompt(authority: try authority(), inquiry: inquiry)
    let performed: Performed
    do throws(PermissionPrompt.Unsaved) {
      performed = try prompt.request()
    } catch {
      guard error.isOnlyUnsaved, error.answer != .never else { throw refusal(error, console) }
      console.warn(
        Message(
          "this could not be remembered, so it is allowed for this run alone: \(error.failure)"))
      return .thisRunOnly
    }
    let answer = answer(to: performed, console)
    guard answer.report.exit == .done else {
      let message = message(answer.report)
      throw Failure(
        answer.exitCode,
        Message(
          message.fact,
          advice: message.advice + syntheticAdvice(inquiry.deviceName, performed.command)))
    }
    return .stored
  }

  /// The advice for an unattended test with a built-in device, which captures no sound but needs
  /// the permission like any other.
  private static func syntheticAdvice(
    _ device: String?, _ command: PermissionCommand
  ) -> [String] {
    guard let device, device.hasPrefix("test:") else { return [] }
    // A user who was there to answer is not a test.
    if case .request(let answer) = command, [.notNow, .never, .interrupted].contains(answer) {
      return []
    }
    return [
      "In CI, a policy rule for \"test:*\" allows the built-in devices alone,",
      "or a grant that ends by itself: recorder permission grant --for 1h",
    ]
  }

  /// Asks if nothing was decided, and reports the result.
  static func request(_ inquiry: Inquiry, _ console: Console) throws(Failure) -> any Report {
    let prompt = PermissionPrompt(authority: try authority(), inquiry: inquiry)
    do throws(PermissionPrompt.Unsaved) {
      return told(answer(to: try prompt.request(), console), console)
    } catch {
      // No recording depends on a "yes" here, so one that cannot be stored is a failure.
      throw error.answer == .never ? refusal(error, console) : failure(error.failure)
    }
  }

  /// The failure for an answer that was not stored: a "no" still holds for this run, unless the
  /// store cannot be trusted.
  private static func refusal(
    _ unsaved: PermissionPrompt.Unsaved, _ console: Console
  ) -> Failure {
    guard unsaved.isOnlyUnsaved else { return failure(unsaved.failure) }
    console.warn(Message("this could not be remembered: \(unsaved.failure)"))
    return Failure(.permissionDenied, Message("refused, for this run alone"))
  }
}

extension PermissionPrompt.Unsaved {
  /// True if the store is sound but cannot be written, as on a full or read-only disk.
  fileprivate var isOnlyUnsaved: Bool {
    guard case .unusable(let fault) = failure else { return true }
    if case .place(let refusal) = fault, case .system = refusal.reason { return true }
    return false
  }
}
