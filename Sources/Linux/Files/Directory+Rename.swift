internal import CLinux
internal import Glibc

/// The method by which a file got its new name without a chance to replace another.
package enum RenameMethod: Sendable {
  /// `renameat2` with RENAME_NOREPLACE, in one step.
  case exclusive
  /// A second link, then the first removed; a crash between the two leaves both names.
  case linked
}

extension Directory {
  /// Gives `old` the name `new` in one step, replacing a file of that name.
  package func rename(_ old: String, to new: String) throws(SystemError) {
    try refusePath("renameat", old + new)
    let number = descriptor.number
    try checked("renameat", path(of: new)) { unsafe renameat(number, old, number, new) }
  }

  /// Gives `old` the name `new`, or throws `exists` where something has it, a dangling link included.
  ///
  /// On a filesystem that supports neither way it throws `linkat`'s error, and nothing has changed.
  @discardableResult
  package func renameWithoutReplacing(
    _ old: String, to new: String
  ) throws(SystemError) -> RenameMethod {
    try refusePath("renameat2", old + new)
    let number = descriptor.number
    do {
      try checked("renameat2", path(of: new)) {
        unsafe renameat2(number, old, number, new, UInt32(rename_no_replace))
      }
      return .exclusive
    } catch let error where error.errno == .invalid || error.errno == .notImplemented {
      // Filesystems without RENAME_NOREPLACE (older NFS, FUSE, overlays) answer EINVAL.
      return try link(old, thenRemoveFor: new)
    }
  }

  /// Renames by hard link, which any filesystem with hard links supports.
  func link(_ old: String, thenRemoveFor new: String) throws(SystemError) -> RenameMethod {
    let number = descriptor.number
    try checked("linkat", path(of: new)) { unsafe linkat(number, old, number, new, 0) }
    try remove(old)
    return .linked
  }
}
