internal import Permission

/// `permission revoke`: refuse the microphone.
enum PermissionRevokeCommand: Carrier {
  static var words: [String] { ["permission", "revoke"] }

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Refuse recorder the microphone, from now on",
      details: [
        "A refusal stands over everything that allows: a policy, and grants to single clients, "
          + "which it takes back. It holds even where the disk is full."
      ],
      options: [PermissionDesk.clientOptions],
      examples: [
        Example("recorder permission revoke", "Refuse it to everyone"),
        Example("recorder permission revoke --as dictation", "Refuse it to dictation"),
      ],
      ends: [.permissionUnusable, .revokeUnconfirmed])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try PermissionDesk.perform(.revoke, arguments, console)
  }
}
