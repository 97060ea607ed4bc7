package import Linux

extension Failure {
  /// A directory of the program's own that it does not trust.
  package init(unusable refusal: DirectoryRefusal) {
    self.init(
      .failed,
      Message(
        "a directory of recorder cannot be used: \(refusal)",
        advice: refusal.remedy().map { "to repair that, \($0)" }))
  }
}
