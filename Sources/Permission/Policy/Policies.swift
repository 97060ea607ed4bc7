/// All that the administrator says, in the order of the files' names, or why that is not known.
package enum Policies: Hashable, Sendable {
  case usable([Policy])
  case unusable(PolicyFault)

  /// No administrator has said anything.
  package static let none = Policies.usable([])

  /// The files, none where they are unusable.
  package var files: [Policy] {
    switch self {
    case .usable(let policies): policies
    case .unusable: []
    }
  }

  /// The first rule of a kind that holds here, and its file.
  package func first(
    _ status: Rule.Status, for account: Account, with device: AskedDevice
  ) -> PolicySource? {
    for policy in files {
      let rule = policy.rules.first { $0.status == status && $0.holds(for: account, with: device) }
      if let rule {
        return PolicySource(file: policy.file, reason: rule.reason, contact: rule.contact)
      }
    }
    return nil
  }

  /// The first file that lets nobody be asked.
  package var forbidsPrompt: String? { files.first { !$0.allowsPrompt }?.file }

  /// The first file that lets nothing be recorded of which the audit does not tell.
  package var requiresAudit: String? { files.first(where: \.requiresAudit)?.file }
}

/// The rule that decided: its file and what it tells the user.
package struct PolicySource: Hashable, Sendable {
  /// The path of the file.
  package let file: String
  /// What a refused user is told.
  package let reason: String?
  /// Whom a refused user can ask.
  package let contact: String?

  package init(file: String, reason: String?, contact: String?) {
    self.file = file
    self.reason = reason
    self.contact = contact
  }
}
