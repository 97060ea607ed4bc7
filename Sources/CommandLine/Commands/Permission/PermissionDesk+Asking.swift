internal import Linux
internal import Permission

extension PermissionDesk {
  /// Lets this run use the microphone, having asked where nothing was decided; throws where it may not.
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

  /// The way in which an unattended test records a built-in device, which hears nothing and needs the permission as
  /// every device does.
  private static func syntheticAdvice(
    _ device: String?, _ command: PermissionCommand
  ) -> [String] {
    guard let device, device.hasPrefix("test:") else { return [] }
    // A person who was there to answer is no test.
    if case .request(let answer) = command, [.notNow, .never, .interrupted].contains(answer) {
      return []
    }
    return [
      "In CI, a policy rule for \"test:*\" allows the built-in devices alone,",
      "or a grant that ends by itself: recorder permission grant --for 1h",
    ]
  }

  /// Asks where nothing was decided, and tells what came of it.
  static func request(_ inquiry: Inquiry, _ console: Console) throws(Failure) -> any Report {
    let prompt = PermissionPrompt(authority: try authority(), inquiry: inquiry)
    do throws(PermissionPrompt.Unsaved) {
      return told(answer(to: try prompt.request(), console), console)
    } catch {
      // Nothing runs here that a "yes" could allow, so one that is not remembered is not done.
      throw error.answer == .never ? refusal(error, console) : failure(error.failure)
    }
  }

  /// A "no" holds for this run even where it cannot be written, and a "yes" never beside what is not trusted.
  private static func refusal(
    _ unsaved: PermissionPrompt.Unsaved, _ console: Console
  ) -> Failure {
    guard unsaved.isOnlyUnsaved else { return failure(unsaved.failure) }
    console.warn(Message("this could not be remembered: \(unsaved.failure)"))
    return Failure(.permissionDenied, Message("refused, for this run alone"))
  }
}

extension PermissionPrompt.Unsaved {
  /// Whether the store is sound and only cannot be written, as where the disk is full or read-only.
  fileprivate var isOnlyUnsaved: Bool {
    guard case .unusable(let fault) = failure else { return true }
    if case .place(let refusal) = fault, case .system = refusal.reason { return true }
    return false
  }
}
