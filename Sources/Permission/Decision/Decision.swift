package import JSON
package import Linux

/// The status of access; the numbers are those of `AVAuthorizationStatus`.
package enum AuthorizationStatus: Int, CaseIterable, Sendable {
  /// The user has not decided. A start may prompt.
  case notDetermined = 0
  /// Forbidden by the administrator; the user cannot change it.
  case restricted = 1
  /// Refused by the user or for this call, or because a policy or the stored decisions cannot be
  /// trusted.
  case denied = 2
  /// Recording is allowed.
  case authorized = 3

  /// The name in JSON.
  package var word: String { "\(self)" }
}

extension AuthorizationStatus {
  /// The rank of the status. If several services are needed, the status with the lowest rank
  /// applies.
  fileprivate var leniency: Int {
    switch self {
    case .restricted: 0
    case .denied: 1
    case .notDetermined: 2
    case .authorized: 3
    }
  }
}

/// The reason for a status; the raw values are those of JSON.
package enum Reason: String, CaseIterable, Sendable {
  /// A rule of the administrator.
  case policy
  /// The user's command, the user's refusal at the prompt, or a decision in the portals' store.
  case user
  /// The answer "always" at the prompt.
  case prompt
  /// A grant for a single session.
  case once
  /// A grant for a limited time.
  case timed
  /// A grant that has expired, or that was not used before a restart.
  case expired
  /// A variable or an option of this call.
  case environment
  /// The user's decisions cannot be read safely.
  case storeUnusable
  /// The administrator's policy cannot be read safely.
  case policyUnusable
}

/// The status of the permission in one situation, with the cause, the time of expiry, and notes.
package struct Decision: Hashable, Sendable {
  /// The status.
  package let status: AuthorizationStatus
  /// The reason for the status, or nil if no decision applies.
  package let reason: Reason?
  /// The source of the decision.
  package let source: Source
  /// The service that the decision applies to.
  package let service: Service
  /// The client that the decision applies to.
  package let client: Client
  /// The time of the decision, or nil if the source has none.
  package let since: WallTime?
  /// The time from the clock reading of the situation until the decision expires, or nil if the
  /// decision does not expire.
  package let remaining: Duration?
  /// The calendar time when the decision expires, or nil if the decision does not expire.
  package let expiresAt: WallTime?
  /// The reason why there is no prompt, or nil if a start may prompt.
  package let noPrompt: PromptRefusal?
  /// Further facts for the user.
  package let notes: [Note]

  /// The enforcement in JSON. It is advisory, because another program of the same user can still
  /// record.
  package static let enforcement = "advisory"
}

extension Decision {
  /// The source of a decision.
  package enum Source: Hashable, Sendable {
    case nothing
    case policy(PolicySource)
    case callRestriction(CallRestrictions.Origin)
    /// The user's decision about this client, or about everyone.
    case record(Client, Record.Origin)
    case marker(String)
    case policyFault(TrustFault)
    case storeFault(TrustFault)
    /// The permission store of the desktop's portals.
    case portal
    case portalFault(String)
  }

  /// The reason why there is no prompt.
  package enum PromptRefusal: Hashable, Sendable {
    /// The status is decided, so there is nothing to ask.
    case decided
    case policy(file: String)
    case callRestriction
    /// The program cannot be identified, so an answer about it could not be stored.
    case unknownProgram
  }

  /// An additional fact for the user.
  package enum Note: Hashable, Sendable {
    /// A grant of another machine or user was ignored.
    case foreignGrant
    /// The machine has no identity, so a grant is also valid on any other machine without an
    /// identity.
    case noMachine
    /// Some devices are restricted, and the call named no device.
    case someDevices(file: String)
    /// A grant for one recording was used, and that recording may still run.
    case usedGrant
  }

  /// Returns true if the decision allows less than `other`. A permission that ends earlier allows
  /// less.
  package func isStricter(than other: Decision) -> Bool {
    guard status == other.status else { return status.leniency < other.status.leniency }
    guard let remaining else { return false }
    return other.remaining.map { remaining < $0 } ?? true
  }

  /// True if access is refused because the store or a policy cannot be trusted.
  package var isUntrusted: Bool {
    status == .denied && (reason == .storeUnusable || reason == .policyUnusable)
  }
}

extension Decision {
  /// The decision as JSON for programs. Every key is present, and a missing value is null.
  package var json: JSONObject {
    [
      "status": .string(status.word),
      "rawValue": status.rawValue.json,
      "reason": reason?.rawValue.json ?? .null,
      "source": .string(source.name),
      "file": source.file?.json ?? .null,
      "service": .string(service.rawValue),
      "client": .string(client.name),
      "since": since?.rfc3339.json ?? .null,
      "expiresAt": expiresAt?.rfc3339.json ?? .null,
      "remaining": remaining?.json ?? .null,
      "mayPrompt": .bool(noPrompt == nil),
      "notes": notes.map(\.name).json,
      "enforcement": .string(Self.enforcement),
    ]
  }
}

extension Decision.Source {
  /// The source in one word, for JSON and the audit.
  var name: String {
    switch self {
    case .nothing: "nothing"
    case .policy, .policyFault: "policy"
    case .callRestriction(.option): "option"
    case .callRestriction(.variable): "environment"
    case .record(_, let origin): origin.rawValue
    case .marker: "marker"
    case .storeFault: "store"
    case .portal, .portalFault: "portal"
    }
  }

  /// The policy file whose rule decided, or nil if no rule decided.
  fileprivate var file: String? {
    if case .policy(let source) = self { source.file } else { nil }
  }
}

extension Decision.Note {
  fileprivate var name: String {
    switch self {
    case .foreignGrant: "foreignGrant"
    case .noMachine: "noMachine"
    case .someDevices: "someDevices"
    case .usedGrant: "usedGrant"
    }
  }
}
