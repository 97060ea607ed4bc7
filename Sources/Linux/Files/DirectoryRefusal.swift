/// A directory that is not used, and the reason: somebody else could have put it there, or could
/// change it.
package struct DirectoryRefusal: Error, Hashable, Sendable {
  /// The ways in which a directory is unfit.
  package enum Reason: Hashable, Sendable {
    /// The path does not start with a slash.
    case relative
    /// It is the root of the whole tree.
    case root
    case symbolicLink
    case notDirectory
    /// Another user owns it.
    case owner(UInt32)
    /// The group or everybody may write it; the mode.
    case writableByOthers(UInt32)
    /// It lies above what is asked for, and somebody else could put another directory there.
    case exposed(Exposure)
    /// The system refused.
    case system(SystemError)
  }

  /// The directory, as it was asked for.
  package let path: String
  /// The reason that the directory is refused.
  package let reason: Reason

  /// A refusal of the directory at `path`.
  package init(_ path: String, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }
}

extension DirectoryRefusal: CustomStringConvertible {
  /// The path in quotes, escaped for a terminal, and the words of the reason.
  package var description: String { "\"\(PrintableText.escape(path))\" \(words)" }

  /// The reason without the path: `is not a directory`.
  package var words: String {
    switch reason {
    case .relative: "is no absolute path"
    case .root: "is the root directory"
    case .symbolicLink: "is a symbolic link"
    case .notDirectory: "is not a directory"
    case .owner(let user): "belongs to user \(user)"
    case .writableByOthers(let mode):
      "can be written by other users (mode \(String(mode, radix: 8)))"
    case .exposed(let exposure): "\(exposure)"
    case .system(let error): "cannot be used (\(error.function): \(error.errno))"
    }
  }
}
