package import Linux

/// The status of the permission in one situation, and everything that there is to say about it.
package struct Decision: Hashable, Sendable {
  /// What holds.
  package let status: AuthorizationStatus
  /// Nil where nobody has ever said anything.
  package let reason: Reason?
  /// What decided.
  package let source: Source
  /// For whom it holds.
  package let client: Client
  /// When it was decided.
  package let since: WallTime?
  /// How long it holds, from the reading on which the decision rests; nil is without end.
  package let remaining: Duration?
  /// When it ends by the calendar of that reading.
  package let expiresAt: WallTime?
  /// Why nobody is asked now, or nil where a start may ask.
  package let noPrompt: PromptRefusal?
  /// What else there is to know.
  package let notes: [Note]

  /// Nothing stops another program of the same user from opening the microphone.
  package static let enforcement = "advisory"
}

extension Decision {
  /// Where a decision comes from.
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

  /// Why nobody is asked.
  package enum PromptRefusal: Hashable, Sendable {
    /// There is nothing to ask: it is decided.
    case decided
    case policy(file: String)
    case wish
  }

  /// What the user should know beside the status.
  package enum Note: Hashable, Sendable {
    /// A grant of another machine or user was not counted.
    case foreignGrant
    /// The machine has no identity, so that a grant could move to another such.
    case noMachine
    /// Some devices are restricted, and none was named.
    case someDevices(file: String)
  }

  /// What the process answers, where the status is its result.
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

/// What a permission command answers to its caller; the numbers are the program's exit codes.
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
