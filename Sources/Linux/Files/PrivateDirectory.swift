/// Directories that only their owner can write to. Missing directories are created with mode 0700.
/// An unsafe directory is refused and never repaired.
package enum PrivateDirectory {
  /// Creates the directory at `path` and missing directories above it, and opens it.
  package static func make(
    at path: String, owner: UInt32 = Environment.effectiveUser
  ) throws(DirectoryRefusal) -> Directory {
    guard path.begins(with: "/") else { throw DirectoryRefusal(path, .relative) }
    try DirectoryRefusal.of(path, Directory.makeAll(path))
    return try open(path, owner: owner)
  }

  /// Opens the directory at `path` if it exists and only `owner` can write to it.
  package static func open(
    _ path: String, owner: UInt32 = Environment.effectiveUser
  ) throws(DirectoryRefusal) -> Directory {
    guard path.begins(with: "/") else { throw DirectoryRefusal(path, .relative) }
    // The path is checked first, because opening a link or a file fails with a less precise error.
    // The open descriptor is checked after that, so that no process can replace the directory after
    // the check.
    let named = try DirectoryRefusal.of(path, FileStatus(of: path, following: false))
    if let flaw = flaw(of: named, owner: owner) { throw DirectoryRefusal(path, flaw) }
    let directory = try DirectoryRefusal.of(path, Directory(path, .noFollow))
    let opened = try DirectoryRefusal.of(path, directory.descriptor.status())
    if let flaw = flaw(of: opened, owner: owner) { throw DirectoryRefusal(path, flaw) }
    return directory
  }

  /// Opens the directory as `open` does. Returns nil if it does not exist.
  package static func openIfPresent(
    _ path: String, owner: UInt32 = Environment.effectiveUser
  ) throws(DirectoryRefusal) -> Directory? {
    do {
      return try open(path, owner: owner)
    } catch let refusal where refusal.isOfMissing {
      return nil
    }
  }

  /// Returns the reason why a directory is refused, or nil if it can be used.
  package static func flaw(of status: FileStatus, owner: UInt32) -> DirectoryRefusal.Reason? {
    if status.kind == .symbolicLink { return .symbolicLink }
    if status.kind != .directory { return .notDirectory }
    if status.owner != owner { return .owner(status.owner) }
    return status.isWritableByOthers ? .writableByOthers(status.mode) : nil
  }
}

/// A refused directory and the reason, for example that another user could change the directory.
package struct DirectoryRefusal: Error, Hashable, Sendable {
  /// The reasons why a directory is refused.
  package enum Reason: Hashable, Sendable {
    /// The path does not begin with a slash.
    case relative
    /// The directory is the root directory.
    case root
    /// The directory is the home directory of the user, and it does not exist.
    case missingHome
    /// The directory contains files in an old format that this version cannot read.
    case outdated
    case symbolicLink
    case notDirectory
    /// Another user owns the directory.
    case owner(UInt32)
    /// The group or all users may write to the directory. The value is the mode.
    case writableByOthers(UInt32)
    /// The directory is above the requested path, and another user could replace the directories in
    /// it.
    case exposed(Exposure)
    /// A system call failed.
    case system(SystemError)
  }

  /// The path of the refused directory.
  package let path: String
  /// The reason why the directory is refused.
  package let reason: Reason

  /// True if a system call failed because the directory does not exist.
  package var isOfMissing: Bool {
    if case .system(let error) = reason { error.errno == .noSuchFile } else { false }
  }

  /// Creates a refusal of the directory at `path`.
  package init(_ path: String, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }
}

extension DirectoryRefusal {
  /// Evaluates `call`. Throws its error as a refusal of the directory at `path`.
  package static func of<Result: ~Copyable>(
    _ path: String, _ call: @autoclosure () throws(SystemError) -> Result
  ) throws(DirectoryRefusal) -> Result {
    try of(path, call)
  }

  /// Runs `call`. Throws its error as a refusal of the directory at `path`.
  package static func of<Result: ~Copyable>(
    _ path: String, _ call: () throws(SystemError) -> Result
  ) throws(DirectoryRefusal) -> Result {
    try mapError({ DirectoryRefusal(path, .system($0)) }, call)
  }
}

extension DirectoryRefusal: CustomStringConvertible {
  /// The path in quotes, escaped for a terminal, followed by the reason.
  package var description: String { "\(PrintableText.quoted(path)) \(words)" }

  /// The reason without the path, such as `is not a directory`.
  package var words: String {
    switch reason {
    case .relative: "is not an absolute path"
    case .root: "is the root directory, and not a home directory"
    case .missingHome: "is the home directory, and does not exist"
    case .outdated: "contains the state of another version, which this version cannot read"
    case .symbolicLink: "is a symbolic link"
    case .notDirectory: "is not a directory"
    case .owner(let user): "belongs to user \(user)"
    case .writableByOthers(let mode):
      "can be written by other users (mode \(String(mode, radix: 8)))"
    case .exposed(let exposure): "\(exposure)"
    case .system(let error): "cannot be used (\(error.errno))"
    }
  }
}

extension DirectoryRefusal {
  /// Returns the advice for this reason, or nil if there is none. The advice completes the sentence
  /// "to repair that, …".
  ///
  /// The advice never suggests changing the owner of the directory. If root became the owner of a
  /// home directory, its user could no longer log in.
  package func remedy(
    for user: UInt32 = Environment.effectiveUser, home: String? = Environment.value(of: "HOME"),
    runtime: String? = Environment.value(of: "XDG_RUNTIME_DIR")
  ) -> String? {
    if reason == .root || reason == .missingHome {
      return "set HOME or XDG_STATE_HOME to a directory of your own"
    }
    if case .system(let error) = reason {
      let isRuntime = runtime.map { !$0.isEmpty && "\(path)/".begins(with: "\($0)/") } ?? false
      return error.errno.remedy(byMoving: isRuntime ? "XDG_RUNTIME_DIR" : "XDG_STATE_HOME")
    }
    let quoted = PrintableText.quoted(path)
    if reason == .outdated { return "move \(quoted) to another name; sound files stay as they are" }
    guard case .owner = reason else { return nil }
    if user == 0 {
      return "use \"sudo -H\", or do not use sudo: HOME is the directory of another user"
    }
    if home?.isSameName(as: path) == true {
      return "set HOME to your own home directory, as \"su -\" does"
    }
    return "move \(quoted) to another directory, or ask its owner to move it"
  }
}

/// A way for another user to change the names in a directory.
package enum Exposure: Hashable, Sendable {
  /// Another user owns the directory.
  case owner(UInt32)
  /// All users may write to the directory. The value is the mode.
  case everyone(UInt32)
  /// A group with other members may write to the directory. The values are the group and the mode.
  case group(UInt32, mode: UInt32)
  /// An access control list lets another user or group write to the directory.
  case accessList
}

extension Exposure: CustomStringConvertible {
  /// The end of a sentence that begins with the name of the directory.
  package var description: String { "\(fact), who could replace the files in it" }

  private var fact: String {
    switch self {
    case .owner(let user): "belongs to user \(user)"
    case .everyone(let mode): "can be written by every user (mode \(String(mode, radix: 8)))"
    case .group(let group, let mode):
      "can be written by the members of group \(group) (mode \(String(mode, radix: 8)))"
    case .accessList: "can be written, through its access control list, by others"
    }
  }

  /// Returns the command for the owner to repair the directory, or nil if there is none. `path`
  /// must be quoted for a shell.
  package func remedy(_ path: String) -> String? {
    switch self {
    case .owner: nil
    case .everyone: "chmod go-w \(path)"
    case .group: "chmod g-w \(path)"
    case .accessList: "setfacl -b \(path)"
    }
  }
}

extension Errno {
  /// The advice if the disk of the state is full or read-only, or nil for any other error. The
  /// advice completes the sentence "to repair that, …".
  package var remedyForState: String? { remedy(byMoving: "XDG_STATE_HOME") }

  /// Returns the advice if the disk of a directory is full or read-only, or nil for any other
  /// error. `variable` is the environment variable that moves the directory. The advice completes
  /// the sentence "to repair that, …".
  package func remedy(byMoving variable: String) -> String? {
    switch self {
    case .noSpace, .quota:
      "free some space there, or set \(variable) to a directory on another disk"
    case .readOnlyFilesystem: "set \(variable) to a directory that can be written"
    default: nil
    }
  }
}
