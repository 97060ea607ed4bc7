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
