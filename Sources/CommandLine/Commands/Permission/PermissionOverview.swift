internal import Permission

/// The command `permission`, which shows the status and lists the permission commands.
enum PermissionOverview: Carrier {
  static var words: [String] { ["permission"] }

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Show the status, and the commands for it",
      details: [PermissionDesk.honesty],
      options: [PermissionDesk.clientOptions],
      examples: [Example("recorder permission", "The status and the commands")],
      ends: PermissionStatusCommand.command.ends)
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    var answer = try PermissionDesk.perform(.status, arguments, console)
    if console.isQuiet { return answer }
    answer.verbs = CommandTable.standard.family(of: words).commands.filter { $0.words != words }
    return answer
  }

  /// The permission commands, which `recorder` carries out without the engine.
  static let carriers: [any Carrier.Type] = [
    PermissionOverview.self, PermissionStatusCommand.self, PermissionRequestCommand.self,
    PermissionGrantCommand.self, PermissionRevokeCommand.self, PermissionResetCommand.self,
    PermissionLogCommand.self, PolicyCheckCommand.self,
  ]
}
