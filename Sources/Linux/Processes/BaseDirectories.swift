/// The directories of this user's files. The rules are stricter than the rules of XDG. A variable
/// is ignored if another user could have set it. An XDG variable is also ignored if it leads to a
/// directory of another user.
package struct BaseDirectories: Sendable {
  /// The inputs of the rules, which a test can set.
  package struct Facts: Sendable {
    /// The environment, without empty variables.
    package var variables: [String: String]
    /// True if the environment comes from a caller with fewer rights.
    package var isElevated: Bool
    /// The user who owns the directories.
    package var user: UInt32
    /// The home directory in the user database, or nil if the user is not in it.
    package var accountHome: String?
    /// The directory that contains a directory for each user who is logged in.
    package var runtimeRoot = "/run/user"
  }

  private let facts: Facts
  /// The user's home directory.
  package let home: String

  /// Applies the rules. Throws if the home directory is relative, not a directory, or belongs to
  /// another user. Throws for a missing home directory or `/`, unless XDG_STATE_HOME names the
  /// directory for the state.
  package init(_ facts: Facts) throws(DirectoryRefusal) {
    self.facts = facts
    self.home = try Self.home(facts)
  }

  /// Data that survives a restart of the program: `$XDG_STATE_HOME/recorder`.
  package var state: String { base("XDG_STATE_HOME", or: "/.local/state") }
  /// Files that the user added or made: `$XDG_DATA_HOME/recorder`.
  package var data: String { base("XDG_DATA_HOME", or: "/.local/share") }
  /// Settings: `$XDG_CONFIG_HOME/recorder`.
  package var configuration: String { base("XDG_CONFIG_HOME", or: "/.config") }
  /// Files that can be made again: `$XDG_CACHE_HOME/recorder`.
  package var cache: String { base("XDG_CACHE_HOME", or: "/.cache") }

  /// The user's own trash, which all desktop programs share.
  package var trash: String { directory("XDG_DATA_HOME", or: "/.local/share") + "/Trash" }

  /// The directory of the sockets. It is in the runtime directory of this login. If there is no
  /// runtime directory, the sockets are in the state directory.
  package var runtime: String { facts.login.map { $0 + "/recorder" } ?? state }

  private func base(_ variable: String, or usual: String) -> String {
    directory(variable, or: usual) + "/recorder"
  }

  private func directory(_ variable: String, or usual: String) -> String {
    facts.trusted(variable) ?? home + usual
  }

  private static func home(_ facts: Facts) throws(DirectoryRefusal) -> String {
    let variable = facts.isElevated ? nil : facts.variables["HOME"]
    // For a user without a home directory, a login sets HOME to the root directory.
    let path = [variable, facts.accountHome].compactMap(\.self).first { !$0.isEmpty } ?? "/"
    guard path.begins(with: "/") else { throw DirectoryRefusal(path, .relative) }
    let trimmed = path.pathNames.reduce("") { "\($0)/\($1)" }
    guard !trimmed.isEmpty else {
      if facts.needsHome { throw DirectoryRefusal(path, .root) }
      return trimmed
    }
    let status = try DirectoryRefusal.of(path, ifPresent(FileStatus(of: trimmed)))
    guard let status else {
      if facts.needsHome { throw DirectoryRefusal(path, .missingHome) }
      return trimmed
    }
    guard status.kind == .directory else { throw DirectoryRefusal(path, .notDirectory) }
    guard status.owner == facts.user else { throw DirectoryRefusal(path, .owner(status.owner)) }
    return trimmed
  }
}

extension BaseDirectories.Facts {
  /// The runtime directory of this login, or nil if this login has none. This directory contains
  /// the sockets of the sound servers. If XDG_RUNTIME_DIR is unset, as under cron, or does not lead
  /// to a usable directory, the runtime directory is /run/user/UID.
  package var login: String? {
    if let directory = trusted("XDG_RUNTIME_DIR"), exists(directory) { return directory }
    let usual = "\(runtimeRoot)/\(user)"
    return exists(usual) && isOurs(usual) ? usual : nil
  }

  /// Whether a home directory is required. It is not required if XDG_STATE_HOME names the state
  /// directory, because the user of a service may have no home directory.
  fileprivate var needsHome: Bool { trusted("XDG_STATE_HOME") == nil }

  fileprivate func trusted(_ variable: String) -> String? {
    guard !isElevated, let path = variables[variable], path.begins(with: "/"), isOurs(path) else {
      return nil
    }
    return path
  }

  private func exists(_ path: String) -> Bool { (try? FileStatus(of: path)) != nil }

  // Returns true for a missing directory, because this program creates or refuses it later.
  private func isOurs(_ path: String) -> Bool {
    do {
      let status = try FileStatus(of: path)
      return status.kind == .directory && status.owner == user
    } catch {
      return error.errno == .noSuchFile
    }
  }

  /// Returns the inputs of this process. Reads the user database only if the result depends on it.
  package static func current() throws(SystemError) -> Self {
    var facts = environment()
    if facts.isElevated || facts.variables["HOME"] == nil {
      facts.accountHome = try UserAccount(facts.user)?.home
    }
    return facts
  }

  /// Returns the inputs without `accountHome`, because reading the user database would take longer
  /// than everything else here.
  package static func environment() -> Self {
    let names = [
      "HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
      "XDG_RUNTIME_DIR",
    ]
    var variables: [String: String] = [:]
    // By the XDG rules, an empty variable counts as unset.
    for name in names { variables[name] = Environment.text(of: name) }
    return Self(
      variables: variables, isElevated: Environment.isElevated, user: Environment.effectiveUser)
  }
}
