package import Linux

/// A file that has the name of a recording and must not be replaced.
package enum TakenName: Hashable, Sendable {
  /// A regular file, which the plan does not allow to replace.
  case file
  case directory
  case symbolicLink
  /// A pipe, a socket or a device.
  case other

  /// Nil for a file that is to be replaced; `status` is not that of a link's target.
  package init?(_ status: FileStatus, replacing: Bool) {
    switch status.kind {
    case .regular where replacing: return nil
    case .regular: self = .file
    case .directory: self = .directory
    case .symbolicLink: self = .symbolicLink
    default: self = .other
    }
  }
}
