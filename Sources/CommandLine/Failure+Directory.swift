package import Linux

extension Failure {
  /// The failure to use a directory of the program that cannot be trusted.
  package init(unusable refusal: DirectoryRefusal) {
    self.init(
      .failed,
      Message(
        "a directory of recorder cannot be used: \(refusal)",
        advice: refusal.remedy().map { "to repair that, \($0)" }))
  }
}
