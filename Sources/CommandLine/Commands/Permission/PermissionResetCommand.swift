internal import Permission

/// The command `permission reset`, which removes decisions.
enum PermissionResetCommand: Carrier {
  static var words: [String] { ["permission", "reset"] }

  static let force = Flag(
    "force", summary: "Move a record that cannot be trusted aside, and begin with none")

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Forget what was decided",
      details: ["Without --as it forgets what was decided about every client, too."],
      options: [OptionGroup("Options", [PermissionDesk.client, force])],
      examples: [
        Example("recorder permission reset", "Forget everything that was decided"),
        Example("recorder permission reset --force", "Begin anew after damage"),
      ],
      ends: [.permissionUnusable, .revokeUnconfirmed])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try PermissionDesk.perform(.reset(force: arguments[force]), arguments, console)
  }
}
