internal import Permission

/// The command `permission request`, which prompts now so that a later start need not.
enum PermissionRequestCommand: Carrier {
  static var words: [String] { ["permission", "request"] }

  static let noPrompt = Flag("no-prompt", summary: "Do not ask, only say what the answer is now")

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Ask for the microphone before it is needed",
      details: [
        "Asks only where nothing is decided; a decision that stands is never asked about again.",
        "The question comes on the terminal, also where stdin and stdout lead elsewhere. Where there "
          + "is none, or this is a background job, it says so and ends with the exit code for "
          + "notDetermined; so it does for no answer within 2 minutes.",
      ],
      options: [OptionGroup("Options", [PermissionDesk.client, noPrompt])],
      examples: [Example("recorder permission request", "Ask now")],
      ends: PermissionStatusCommand.command.ends + [.interrupted])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let inquiry = try PermissionDesk.inquiry(
      arguments[PermissionDesk.client], noPrompt: arguments[noPrompt])
    return try PermissionDesk.request(inquiry, console)
  }
}
