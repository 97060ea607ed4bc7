/// The command `doctor`, which diagnoses recording and playing on this system.
package enum DoctorCommand: CommandDefinition {
  /// The word after `recorder`.
  package static var words: [String] { ["doctor"] }

  /// The engine carries it out, because it examines sound cards.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "Diagnose sound on this system",
      details: [
        "Checks the sound cards, the rights of this user, the sound server, the mixers, the "
          + "permission, the directories and the free space. Each check is ok, a warning or a problem; the last two say what to do. "
          + "Nothing is recorded, played or changed."
      ],
      examples: [
        Example("recorder doctor", "Check this machine"),
        Example("recorder doctor --quiet", "Show problems only"),
        Example("recorder doctor --json", "The same for a program"),
      ],
      ends: [
        .device, .outputRefused, .permissionDenied, .permissionRestricted, .permissionUnusable,
      ])
  }
}
