package import Linux

/// The sessions that a refusal ended, each as a person reads it.
package struct StoppedSessions: Hashable, Sendable {
  /// Those that ended, with what they had recorded kept.
  package var confirmed: [String] = []
  /// Those that ended and had recorded nothing: meters, and recordings that were just beginning.
  package var empty: [String] = []
  /// Those that did not say so in time.
  package var unconfirmed: [String] = []
  /// The machines on which some of these are, each as it is typed.
  package var unreachable: [String] = []
  /// Those that did not, and were killed.
  package var killed: [String] = []
  /// Those that did not have to end, because something else allows them.
  package var continuing: [String] = []

  package init(confirmed: [String] = [], unconfirmed: [String] = [], killed: [String] = []) {
    self.confirmed = confirmed
    self.unconfirmed = unconfirmed
    self.killed = killed
  }
}

/// A command that was carried out, from the state before to the state after.
package struct Performed: Hashable, Sendable {
  /// What was wanted.
  package let command: PermissionCommand
  /// What was done.
  package let transition: Transition
  /// What stood when it was done.
  package let before: Situation
  /// What stands now.
  package let after: Situation
  /// The recordings that it ended.
  package let stopped: StoppedSessions
  /// Where a store that could not be trusted lies now.
  package let movedTo: String?
  /// Why a "no" could only be left as a marker.
  package let shortage: SystemError?
  /// Why the audit does not tell of it.
  package let auditFailure: StoreFailure?

  package init(
    _ command: PermissionCommand, _ transition: Transition, before: Situation, after: Situation,
    stopped: StoppedSessions = StoppedSessions(), movedTo: String? = nil,
    shortage: SystemError? = nil, auditFailure: StoreFailure? = nil
  ) {
    self.command = command
    self.transition = transition
    self.before = before
    self.after = after
    self.stopped = stopped
    self.movedTo = movedTo
    self.shortage = shortage
    self.auditFailure = auditFailure
  }

  /// A command as it would go where everything can be written.
  package init(onPaper command: PermissionCommand, in situation: Situation) {
    self.init(
      command, situation.transition(of: command), before: situation,
      after: situation.after(command))
  }
}
