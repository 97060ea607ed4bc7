internal import Linux
internal import Permission

extension Failure {
  /// Creates the failure for permission files that cannot be trusted, read or locked.
  init(_ error: StoreFailure) {
    let message =
      if case .unusable(let fault) = error {
        Message("\(error)", remedy: fault.remedy)
      } else {
        Message("the permission files cannot be used: \(error)")
      }
    self.init(.permissionUnusable, message)
  }
}

extension StoreFailure {
  /// Whether the store can be trusted but not written, for example on a full or read-only disk.
  var isOnlyUnsaved: Bool {
    guard case .unusable(let fault) = self else { return true }
    if case .directory(let refusal) = fault, case .system = refusal.reason { return true }
    return false
  }
}
