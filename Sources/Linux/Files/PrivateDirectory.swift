/// Directories that only their user can have filled: made 0700 where missing, otherwise refused and
/// never repaired.
package enum PrivateDirectory {
  /// Opens the directory at `path`, and makes it and what is missing above it first.
  package static func make(
    at path: String, owner: UInt32 = Environment.effectiveUser
  ) throws(DirectoryRefusal) -> Directory {
    guard path.begins(with: "/") else { throw DirectoryRefusal(path, .relative) }
    try refusing(path) { () throws(SystemError) in try Directory.makeAll(path) }
    return try open(path, owner: owner)
  }

  /// Opens the directory at `path` where it exists and only `owner` can have filled it.
  package static func open(
    _ path: String, owner: UInt32 = Environment.effectiveUser
  ) throws(DirectoryRefusal) -> Directory {
    guard path.begins(with: "/") else { throw DirectoryRefusal(path, .relative) }
    // Checked by name first, because opening a link or a file fails with a less precise error; then
    // on the open descriptor, so that nobody can exchange it after the check.
    let named = try refusing(path) { () throws(SystemError) in
      try FileStatus(of: path, following: false)
    }
    if let flaw = flaw(of: named, owner: owner) { throw DirectoryRefusal(path, flaw) }
    let directory = try refusing(path) { () throws(SystemError) in
      try Directory(path, .noFollow)
    }
    let opened = try refusing(path) { () throws(SystemError) in
      try directory.descriptor.status()
    }
    if let flaw = flaw(of: opened, owner: owner) { throw DirectoryRefusal(path, flaw) }
    return directory
  }

  /// Returns the reason that a directory is unfit, or nil.
  package static func flaw(of status: FileStatus, owner: UInt32) -> DirectoryRefusal.Reason? {
    if status.kind == .symbolicLink { return .symbolicLink }
    if status.kind != .directory { return .notDirectory }
    if status.owner != owner { return .owner(status.owner) }
    return status.isWritableByOthers ? .writableByOthers(status.mode) : nil
  }

  private static func refusing<Answer: ~Copyable>(
    _ path: String, _ call: () throws(SystemError) -> Answer
  ) throws(DirectoryRefusal) -> Answer {
    do {
      return try call()
    } catch {
      throw DirectoryRefusal(path, .system(error))
    }
  }
}
