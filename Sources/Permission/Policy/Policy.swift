/// What one file of the administrator says.
package struct Policy: Hashable, Sendable {
  /// The path of the file.
  package let file: String
  /// What it forbids and allows.
  package let rules: [Rule]
  /// Whether users may be asked at all.
  package let allowsPrompt: Bool
  /// True where nothing may be recorded of which the audit does not tell.
  package let requiresAudit: Bool

  package init(file: String, rules: [Rule], allowsPrompt: Bool, requiresAudit: Bool = false) {
    self.file = file
    self.rules = rules
    self.allowsPrompt = allowsPrompt
    self.requiresAudit = requiresAudit
  }
}
