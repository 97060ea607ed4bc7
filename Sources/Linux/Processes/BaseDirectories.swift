/// The directories of this user's files, by the XDG rules made stricter: a variable that somebody
/// else could have set, or that leads to somebody else's directory, counts as unset.
package struct BaseDirectories: Sendable {
  /// The inputs of the rules, so that a test can state them.
  package struct Facts: Sendable {
    /// The environment, without variables that are empty.
    package var variables: [String: String]
    /// True where that environment comes from somebody with fewer rights.
    package var isElevated: Bool
    /// The user whose directories they are.
    package var user: UInt32
    /// The home directory of the user database, or nil where the user is in none.
    package var accountHome: String?
    /// The directory that holds one for each user who is logged in.
    package var runtimeRoot = "/run/user"

    /// The facts of a process of `user` with the home directory of the user database.
    package init(
      variables: [String: String], isElevated: Bool, user: UInt32, accountHome: String?
    ) {
      self.variables = variables
      self.isElevated = isElevated
      self.user = user
      self.accountHome = accountHome
    }
  }

  private let facts: Facts
  /// The user's own directory.
  package let home: String

  /// Applies the rules; throws where HOME is relative or not the user's. It may be the root or
  /// missing only where XDG_STATE_HOME leads elsewhere.
  package init(_ facts: Facts) throws(DirectoryRefusal) {
    self.facts = facts
    self.home = try Self.home(facts)
  }

  /// Data that survives a restart of the program: `$XDG_STATE_HOME/recorder`.
  package var state: String { base("XDG_STATE_HOME", or: "/.local/state") }
  /// Files that the user brought or made: `$XDG_DATA_HOME/recorder`.
  package var data: String { base("XDG_DATA_HOME", or: "/.local/share") }
  /// Settings: `$XDG_CONFIG_HOME/recorder`.
  package var configuration: String { base("XDG_CONFIG_HOME", or: "/.config") }
  /// Files that can be made again: `$XDG_CACHE_HOME/recorder`.
  package var cache: String { base("XDG_CACHE_HOME", or: "/.cache") }

  /// The user's own trash, which all programs of the desktop share.
  package var trash: String { directory("XDG_DATA_HOME", or: "/.local/share") + "/Trash" }

  /// The directory of the sockets: in that of this login, else the state directory.
  package var runtime: String { facts.login.map { $0 + "/recorder" } ?? state }

  private func base(_ variable: String, or usual: String) -> String {
    directory(variable, or: usual) + "/recorder"
  }

  private func directory(_ variable: String, or usual: String) -> String {
    facts.trusted(variable) ?? home + usual
  }

  private static func home(_ facts: Facts) throws(DirectoryRefusal) -> String {
    let variable = facts.isElevated ? nil : facts.variables["HOME"]
    guard let path = variable ?? facts.accountHome, path.begins(with: "/") else {
      throw DirectoryRefusal(variable ?? "", .relative)
    }
    let trimmed = path.pathNames.reduce("") { "\($0)/\($1)" }
    guard !trimmed.isEmpty else {
      if facts.needsHome { throw DirectoryRefusal(path, .root) }
      return trimmed
    }
    let status: FileStatus
    do {
      status = try FileStatus(of: trimmed)
    } catch {
      guard error.errno == .noSuchFile else { throw DirectoryRefusal(path, .system(error)) }
      if facts.needsHome { throw DirectoryRefusal(path, .missingHome) }
      return trimmed
    }
    guard status.kind == .directory else { throw DirectoryRefusal(path, .notDirectory) }
    guard status.owner == facts.user else { throw DirectoryRefusal(path, .owner(status.owner)) }
    return trimmed
  }
}

extension BaseDirectories.Facts {
  /// The directory of this login, in which sound servers have their sockets; also where only
  /// /run/user/UID shows it, as under cron; nil where there is none.
  package var login: String? {
    if let directory = trusted("XDG_RUNTIME_DIR"), exists(directory) { return directory }
    let usual = "\(runtimeRoot)/\(user)"
    return exists(usual) && isOurs(usual) ? usual : nil
  }

  /// False where a variable names the state directory: the user of a service may have no home.
  fileprivate var needsHome: Bool { trusted("XDG_STATE_HOME") == nil }

  fileprivate func trusted(_ variable: String) -> String? {
    guard !isElevated, let path = variables[variable], path.begins(with: "/"), isOurs(path) else {
      return nil
    }
    return path
  }

  private func exists(_ path: String) -> Bool { (try? FileStatus(of: path)) != nil }

  // A missing directory is made by us or refused later.
  private func isOurs(_ path: String) -> Bool {
    do {
      let status = try FileStatus(of: path)
      return status.kind == .directory && status.owner == user
    } catch {
      return error.errno == .noSuchFile
    }
  }

  /// Returns the inputs of this process; reads the user database only where its answer counts.
  package static func current() throws(SystemError) -> Self {
    var facts = environment()
    if facts.isElevated || facts.variables["HOME"] == nil {
      facts.accountHome = try UserAccount(facts.user)?.home
    }
    return facts
  }

  /// Returns the inputs without the user database, which takes longer to read than all the rest.
  package static func environment() -> Self {
    let names = [
      "HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
      "XDG_RUNTIME_DIR",
    ]
    var variables: [String: String] = [:]
    // The XDG rules: an empty variable is an unset one.
    for name in names { variables[name] = Environment.value(of: name).flatMap(\.nonEmpty) }
    return Self(
      variables: variables, isElevated: Environment.isElevated, user: Environment.effectiveUser,
      accountHome: nil)
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
