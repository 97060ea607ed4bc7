/// One rule of the administrator: users, devices, and the status for them.
package struct Rule: Hashable, Sendable {
  /// The status that a rule can set.
  package enum Status: String, CaseIterable, Sendable {
    case restricted
    case authorized
  }

  /// The service that the rule protects.
  package let service: Service
  /// Names or numbers of users; a user matches here or in `groups`, and everyone does if both are
  /// empty.
  package let users: [String]
  /// Names or numbers of groups, any of which the user may be in.
  package let groups: [String]
  /// Patterns for the card's names; every device matches if there are none.
  package let devices: [Glob]
  /// The status for them.
  package let status: Status
  /// The explanation for a refused user.
  package let reason: String?
  /// The contact for a refused user.
  package let contact: String?

  /// A rule; by default for the microphone, every user and every device.
  package init(
    service: Service = .microphone, users: [String] = [], groups: [String] = [],
    devices: [Glob] = [], status: Status, reason: String? = nil, contact: String? = nil
  ) {
    self.service = service
    self.users = users
    self.groups = groups
    self.devices = devices
    self.status = status
    self.reason = reason
    self.contact = contact
  }
}

extension Rule {
  /// True if the rule holds here; an unknown match restricts, and never authorizes.
  package func holds(for account: Account, with device: RequestedDevice) -> Bool {
    guard service == .microphone else { return false }
    let match = min(names(account), covers(device))
    return status == .restricted ? match > .no : match == .yes
  }

  /// True if the rule would restrict this user with some device; for calls that name no device.
  package func restrictsSomeDevice(for account: Account) -> Bool {
    service == .microphone && status == .restricted && !devices.isEmpty && names(account) > .no
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
    }
  }
}

/// The protected services.
package enum Service: String, CaseIterable, Sendable {
  case microphone
  /// Reserved: the sound that the machine plays.
  case systemAudio
}

/// A pattern for names: `*` stands for any characters, `?` for one.
package struct Glob: Hashable, Sendable {
  /// The pattern as the policy has it.
  package let pattern: String

  /// Makes a pattern; nil if it is empty or has `[`, `]` or `\`, which other programs give a
  /// meaning.
  package init?(_ pattern: String) {
    guard !pattern.isEmpty, !pattern.contains(where: { "[]\\".contains($0) }) else { return nil }
    self.pattern = pattern
  }

  /// True if the pattern matches the whole of `name`.
  ///
  /// Only the last `*` is ever retried, so a hostile name costs at most length × length.
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
