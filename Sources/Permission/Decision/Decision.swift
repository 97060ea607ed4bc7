package import Linux

/// The status of the permission in one situation, with its cause, its end and notes.
package struct Decision: Hashable, Sendable {
  /// The status that holds.
  package let status: AuthorizationStatus
  /// The reason for the status; nil if nothing was ever decided.
  package let reason: Reason?
  /// The source of the decision.
  package let source: Source
  /// The client that the decision holds for.
  package let client: Client
  /// The time of the decision; nil if the source has none.
  package let since: WallTime?
  /// The time left, from the clock reading that the decision used; nil without an end.
  package let remaining: Duration?
  /// The end by the calendar of that reading; nil without an end.
  package let expiresAt: WallTime?
  /// The reason for not prompting; nil if a start may ask.
  package let noPrompt: PromptRefusal?
  /// Further facts for the user.
  package let notes: [Note]

  /// The enforcement as JSON names it: another program of the same user can still open the
  /// microphone.
  package static let enforcement = "advisory"
}

extension Decision {
  /// The source of a decision.
  package enum Source: Hashable, Sendable {
    case nothing
    case policy(PolicySource)
    case wish(Wishes.Refusal)
    /// The user's decision about this client, or about everyone.
    case record(Client, Record.Origin)
    case marker(String)
    case policyFault(PolicyFault)
    case storeFault(StoreFault)
  }

  /// The reason for not prompting.
  package enum PromptRefusal: Hashable, Sendable {
    /// There is nothing to ask; the decision is made.
    case decided
    case policy(file: String)
    case wish
  }

  /// A fact for the user beside the status.
  package enum Note: Hashable, Sendable {
    /// A grant of another machine or user was not counted.
    case foreignGrant
    /// The machine has no identity, so a grant also counts on another machine without one.
    case noMachine
    /// Some devices are restricted, and the call named none.
    case someDevices(file: String)
  }

  /// The exit code of a command whose result is the status.
  package var exit: PermissionExit {
    switch (status, reason) {
    case (.authorized, _): .done
    case (.notDetermined, _): .notDetermined
    case (.restricted, _): .restricted
    case (.denied, .storeUnusable), (.denied, .policyUnusable): .unusable
    case (.denied, _): .denied
    }
  }
}

/// The results of a permission command; the numbers are the program's exit codes.
package enum PermissionExit: Int32, CaseIterable, Sendable {
  case done = 0
  case failed = 1
  case notDetermined = 20
  case denied = 21
  case restricted = 22
  case unusable = 23
  case unconfirmed = 26
  case interrupted = 130
}
