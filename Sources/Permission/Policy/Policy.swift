/// What one file of the administrator says.
package struct Policy: Hashable, Sendable {
  /// The path of the file.
  package let file: String
  /// What it forbids and allows.
  package let rules: [Rule]
  /// Whether users may be asked at all.
  package let allowsPrompt: Bool

  package init(file: String, rules: [Rule], allowsPrompt: Bool) {
    self.file = file
    self.rules = rules
    self.allowsPrompt = allowsPrompt
  }
}
