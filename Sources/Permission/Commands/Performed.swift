package import Linux

/// The sessions that a refusal ended, each as a line for the user.
package struct StoppedSessions: Hashable, Sendable {
  /// Sessions that ended and kept what they had recorded.
  package var confirmed: [String] = []
  /// Sessions that ended with nothing recorded: meters, and recordings that were just starting.
  package var empty: [String] = []
  /// Sessions that did not confirm their end in time.
  package var unconfirmed: [String] = []
  /// The machines on which some of these are, each as it is typed.
  package var unreachable: [String] = []
  /// Those that did not, and were killed.
  package var killed: [String] = []
  /// Sessions that continue because a policy allows their device.
  package var continuing: [String] = []

  /// The sessions by outcome; `empty` and `continuing` are set afterwards.
  package init(confirmed: [String] = [], unconfirmed: [String] = [], killed: [String] = []) {
    self.confirmed = confirmed
    self.unconfirmed = unconfirmed
    self.killed = killed
  }
}

/// A command that was carried out, with the situations before and after it.
package struct Performed: Hashable, Sendable {
  /// The command that was given.
  package let command: PermissionCommand
  /// The transition that was made.
  package let transition: Transition
  /// The situation before the transition, read under the lock if something changed.
  package let before: Situation
  /// The situation after the transition.
  package let after: Situation
  /// The sessions that the command ended.
  package let stopped: StoppedSessions
  /// The new path of a store that was moved away; nil if none was.
  package let movedTo: String?
  /// The error that left a refusal as a marker only; nil if it was written.
  package let shortage: SystemError?
  /// The failure to audit the command; nil if it was audited.
  package let auditFailure: StoreFailure?

  /// The result of a command; by default nothing stopped, moved or failed.
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

  /// The expected result of a command if everything can be written; nothing is stored.
  package init(onPaper command: PermissionCommand, in situation: Situation) {
    self.init(
      command, situation.transition(of: command), before: situation,
      after: situation.after(command))
  }
}
