/// One file of the administrator.
package struct Policy: Hashable, Sendable {
  /// The path of the file.
  package let file: String
  /// The rules of the file, in its order.
  package let rules: [Rule]
  /// True if users may be prompted.
  package let allowsPrompt: Bool
  /// True if nothing may be recorded without an audit event.
  package let requiresAudit: Bool

  /// The policy as read from `file`.
  package init(file: String, rules: [Rule], allowsPrompt: Bool, requiresAudit: Bool = false) {
    self.file = file
    self.rules = rules
    self.allowsPrompt = allowsPrompt
    self.requiresAudit = requiresAudit
  }
}

/// The administrator's policies in the order of their files' names, or the fault that makes them
/// unusable.
package enum Policies: Hashable, Sendable {
  case usable([Policy])
  case unusable(PolicyFault)

  /// No policies.
  package static let none = Policies.usable([])

  /// The policies; none if they are unusable.
  package var files: [Policy] {
    switch self {
    case .usable(let policies): policies
    case .unusable: []
    }
  }

  /// The source of the first rule with this status that holds here; nil without one.
  package func first(
    _ status: Rule.Status, for account: Account, with device: RequestedDevice
  ) -> PolicySource? {
    for policy in files {
      let rule = policy.rules.first { $0.status == status && $0.holds(for: account, with: device) }
      if let rule {
        return PolicySource(file: policy.file, reason: rule.reason, contact: rule.contact)
      }
    }
    return nil
  }

  /// The first file that forbids the prompt; nil if none does.
  package var forbidsPrompt: String? { files.first { !$0.allowsPrompt }?.file }

  /// The first file that forbids recording without an audit event; nil if none does.
  package var requiresAudit: String? { files.first(where: \.requiresAudit)?.file }
}

/// The rule that decided: its file and its words for the user.
package struct PolicySource: Hashable, Sendable {
  /// The path of the file.
  package let file: String
  /// The explanation for a refused user.
  package let reason: String?
  /// The contact for a refused user.
  package let contact: String?

  /// The source of a decision; `reason` and `contact` are the policy's own text, unescaped.
  package init(file: String, reason: String?, contact: String?) {
    self.file = file
    self.reason = reason
    self.contact = contact
  }
}
