internal import Permission

/// The command `permission revoke`, which refuses the microphone.
enum PermissionRevokeCommand: Carrier {
  static var words: [String] { ["permission", "revoke"] }

  static let force = Flag(
    "force", summary: "Kill a recording that does not stop within 5 seconds")

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Refuse recorder the microphone, from now on",
      details: [
        "A refusal stands over everything that allows: a policy, and grants to single clients, "
          + "which it takes back. It holds even where the disk is full.",
        "Recordings that run stop at once and keep what they heard before; this returns when their "
          + "files are complete, and lists them.",
      ],
      options: [OptionGroup("Options", [PermissionDesk.client, force])],
      examples: [
        Example("recorder permission revoke", "Refuse it to everyone"),
        Example("recorder permission revoke --as dictation", "Refuse it to dictation"),
      ],
      ends: [.permissionUnusable, .revokeUnconfirmed])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try PermissionDesk.perform(.revoke, arguments, console, killing: arguments[force])
  }
}
