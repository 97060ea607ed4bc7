internal import Permission

/// The command `permission status`, which shows the status and its cause.
enum PermissionStatusCommand: Carrier {
  static var words: [String] { ["permission", "status"] }

  static var command: Command {
    Command(
      words, section: .permission,
      summary: "Say whether recorder may use the microphone, and why",
      details: [
        "The status is notDetermined, restricted, denied or authorized. Asking for it never shows a "
          + "prompt, writes nothing and opens no device; the exit code tells scripts the same.",
        "What decides, in this order: a policy that cannot be trusted, a policy that forbids, "
          + "RECORDER_PERMISSION=deny, a record that cannot be trusted, your own no, your own grant, "
          + "a policy that allows.",
        PermissionDesk.honesty,
      ],
      options: [PermissionDesk.clientOptions],
      examples: [
        Example("recorder permission status", "Whether the microphone may be used"),
        Example("recorder permission status --json", "The same for a program"),
        Example("recorder permission status --as dictation", "Whether dictation may use it"),
      ],
      ends: [
        .permissionNotDetermined, .permissionDenied, .permissionRestricted, .permissionUnusable,
      ])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    try PermissionDesk.perform(.status, arguments, console)
  }
}
