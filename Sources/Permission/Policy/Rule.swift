/// One rule of the administrator: who, with which device, and what holds for them.
package struct Rule: Hashable, Sendable {
  /// What a rule can say.
  package enum Status: String, CaseIterable, Sendable {
    case restricted
    case authorized
  }

  /// What it is about.
  package let service: Service
  /// Names or numbers of users and of groups (`groups`); to be one of either is enough, and none means everyone.
  package let users: [String]
  package let groups: [String]
  /// Patterns for the card; none means every device.
  package let devices: [Glob]
  /// What holds for them.
  package let status: Status
  /// What a refused user is told.
  package let reason: String?
  /// Whom a refused user can ask.
  package let contact: String?

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
  /// Whether the rule holds here; what cannot be known restricts, and never authorizes.
  package func holds(for account: Account, with device: AskedDevice) -> Bool {
    guard service == .microphone else { return false }
    let match = min(names(account), covers(device))
    return status == .restricted ? match > .no : match == .yes
  }

  /// Whether it would hold for this user with some device, while none was named.
  package func restrictsSomeDevice(for account: Account) -> Bool {
    service == .microphone && status == .restricted && !devices.isEmpty && names(account) > .no
  }

  private func names(_ account: Account) -> Match {
    if users.isEmpty && groups.isEmpty { return .yes }
    return (users.map(account.isUser) + groups.map(account.isMember(of:))).max() ?? .no
  }

  private func covers(_ device: AskedDevice) -> Match {
    if devices.isEmpty { return .yes }
    switch device {
    case .unspecified: return .no
    case .unresolved: return .unknown
    case .card(let names):
      return devices.contains { names.contains(where: $0.matches) } ? .yes : .no
    }
  }
}
