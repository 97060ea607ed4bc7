internal import Linux

/// One policy file of the administrator.
package struct Policy: Hashable, Sendable {
  /// The path of the file.
  package let file: String
  /// The rules of the file, in order.
  package let rules: [Rule]
  /// True if users may be prompted.
  package let allowsPrompt: Bool
  /// True if every recording needs an audit event.
  package var requiresAudit = false
}

/// The administrator's policies in the order of their file names, or the fault that makes them
/// unusable.
package enum Policies: Hashable, Sendable {
  case usable([Policy])
  case unusable(TrustFault)

  /// No policies.
  package static let none = Policies.usable([])

  /// The policies, or none if they are unusable.
  package var files: [Policy] {
    switch self {
    case .usable(let policies): policies
    case .unusable: []
    }
  }

  /// Returns the source of the first rule that has this status and applies, or nil if there is no
  /// such rule.
  package func first(
    _ status: Rule.Status, of service: Service, for account: Account, with device: RequestedDevice
  ) -> PolicySource? {
    for policy in files {
      let rule = policy.rules.first {
        $0.service == service && $0.status == status && $0.holds(for: account, with: device)
      }
      if let rule {
        return PolicySource(file: policy.file, reason: rule.reason, contact: rule.contact)
      }
    }
    return nil
  }

  /// True if a rule depends on the device.
  package var nameDevices: Bool {
    files.contains { policy in policy.rules.contains { !$0.devices.isEmpty } }
  }

  /// The first file that forbids the prompt, or nil if none does.
  package var forbidsPrompt: String? { files.first { !$0.allowsPrompt }?.file }

  /// The first file that forbids recording without an audit event, or nil if none does.
  package var requiresAudit: String? { files.first(where: \.requiresAudit)?.file }
}

/// The rule that decided: its file and its texts for the user.
package struct PolicySource: Hashable, Sendable {
  /// The path of the file.
  package let file: String
  /// The explanation for a refused user.
  package let reason: String?
  /// The contact for a refused user.
  package let contact: String?
}

/// One rule of the administrator: users, devices, and the status for them.
package struct Rule: Hashable, Sendable {
  /// The status that a rule can set.
  package enum Status: String, CaseIterable, Sendable {
    case restricted
    case authorized
  }

  /// The service that the rule protects.
  package var service = Service.microphone
  /// Names or numbers of users. A user must match here or in `groups`. If both are empty, all users
  /// match.
  package var users: [String] = []
  /// Names or numbers of groups. Membership in one of them is enough.
  package var groups: [String] = []
  /// Patterns for the names of the card. If there are none, every device matches.
  package var devices: [Glob] = []
  /// The status that the rule sets.
  package let status: Status
  /// The explanation for a refused user.
  package var reason: String?
  /// The contact for a refused user.
  package var contact: String?
}

extension Rule {
  /// Returns whether the rule applies to an account and a device. If a match is unknown, a
  /// restriction applies, but an authorization does not. Of several devices, one match is enough
  /// for a restriction, but an authorization needs a match of every device.
  package func holds(for account: Account, with device: RequestedDevice) -> Bool {
    let match = min(names(account), covers(device))
    return status == .restricted ? match > .no : match == .yes
  }

  /// Returns whether the rule would restrict this user for some device. Use this for calls that
  /// name no device.
  package func restrictsSomeDevice(for account: Account) -> Bool {
    status == .restricted && !devices.isEmpty && names(account) > .no
  }

  private func names(_ account: Account) -> Match {
    if users.isEmpty && groups.isEmpty { return .yes }
    return (users.map(account.isUser) + groups.map(account.isMember(of:))).max() ?? .no
  }

  private func covers(_ device: RequestedDevice) -> Match {
    if devices.isEmpty { return .yes }
    switch device {
    case .unspecified: return .no
    case .unresolved: return .unknown
    case .card(let names):
      return devices.contains { names.contains(where: $0.matches) } ? .yes : .no
    case .several(let tracks):
      let matches = tracks.map(covers)
      return (status == .restricted ? matches.max() : matches.min()) ?? .unknown
    }
  }
}

/// A pattern for names: `*` stands for any number of characters, `?` for one character.
package struct Glob: Hashable, Sendable {
  /// The pattern as written in the policy.
  package let pattern: String

  /// Creates a pattern. The result is nil if the text is empty, or contains `[`, `]` or `\`: in the
  /// patterns of other programs, these characters have a special meaning.
  package init?(_ pattern: String) {
    guard !pattern.isEmpty, !pattern.contains(where: { "[]\\".contains($0) }) else { return nil }
    self.pattern = pattern
  }

  /// Returns whether the pattern matches the whole of `name`.
  ///
  /// Only the last `*` is retried, so even a malicious name needs at most pattern length × name
  /// length steps.
  package func matches(_ name: String) -> Bool {
    let (pattern, name) = (Array(pattern.unicodeScalars), Array(name.unicodeScalars))
    var (next, position) = (0, 0)
    var retry: (next: Int, position: Int)?
    while position < name.count {
      if next < pattern.count, pattern[next] == "*" {
        next += 1
        retry = (next, position)
      } else if next < pattern.count, pattern[next] == "?" || pattern[next] == name[position] {
        next += 1
        position += 1
      } else if let (start, from) = retry {
        (next, position) = (start, from + 1)
        retry = (start, from + 1)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == "*" }
  }
}
