internal import JSON
internal import Linux
internal import Permission

/// A file of settings that only its owner or root can write.
struct ConfigurationFile: Hashable, Sendable {
  /// The user or system whose settings a file contains.
  enum Level: String, Sendable {
    case user
    case system
  }

  let level: Level
  let path: String
  /// The user who may write the file, besides root.
  let owner: UInt32

  private static let name = "config.json"

  /// The administrator's file. No environment variable changes its path.
  static let system = ConfigurationFile(level: .system, path: "/etc/recorder/" + name, owner: 0)

  /// Returns this user's file, in `$XDG_CONFIG_HOME/recorder`.
  static func user() throws -> ConfigurationFile {
    let base = try BaseDirectories(.current())
    return ConfigurationFile(
      level: .user, path: base.configuration.path(of: name), owner: Environment.effectiveUser)
  }
}

/// A fault in a file of settings.
enum ConfigurationFault: Error, Hashable {
  /// Other users could replace the file in a directory above it.
  case directory(DirectoryRefusal)
  case file(String, FileFlaw)
  case syntax(String, JSONError)
  /// The file contains a JSON value other than an object.
  case notObject(String)
  case unknownKey(String, key: String)
  /// The value of a key is neither a text nor a number.
  case kind(String, key: String, expectation: String, found: String)
  case value(UsageError)
}

/// The contents of a file of settings.
struct ConfigurationText {
  /// The path by which the file was opened.
  let name: String
  /// The path of the file itself, behind symbolic links.
  let path: String
  /// The permissions of the file, or nil if it does not exist.
  var mode: UInt32?
  /// The bytes of the file; none if it does not exist.
  var bytes: [UInt8] = []

  /// Parses the bytes and returns their object, with its unknown members.
  func object() throws(ConfigurationFault) -> JSONObject {
    try ConfigurationFile.object(bytes, name)
  }
}

extension ConfigurationFile {
  /// Reads the file. Its members may be unknown or wrong.
  ///
  /// A file that does not exist has no members. Symbolic links are followed, because some users
  /// keep their settings in a directory under version control. The directories of the link and of
  /// the file are all checked.
  func text() throws(ConfigurationFault) -> ConfigurationText {
    for _ in 0..<Self.mostReadings {
      guard let file = try open() else { return ConfigurationText(name: path, path: path) }
      if let text = try text(of: file) { return text }
    }
    throw .file(path, .unreadable(SystemError("open", path, errno: .busy)))
  }

  /// The number of attempts to read a file that is replaced repeatedly.
  private static var mostReadings: Int { 100 }

  /// Opens the file, without waiting if it is a FIFO. Returns nil if it does not exist.
  private func open() throws(ConfigurationFault) -> Descriptor? {
    try reading { () throws(SystemError) -> Descriptor? in
      do throws(SystemError) {
        return try Descriptor(opening: path, [.readOnly, .nonBlocking])
      } catch let error where [.noSuchFile, .notDirectory].contains(error.errno) {
        return nil
      }
    }
  }

  /// Returns the contents of an open file, or nil if the file was removed or replaced.
  private func text(
    of file: borrowing Descriptor
  ) throws(ConfigurationFault) -> ConfigurationText? {
    let status = try reading { () throws(SystemError) in try file.status() }
    // A file that root owns is accepted too: root could change any file of this user.
    let writer = status.owner == 0 ? 0 : owner
    if let flaw = TrustedFile.configuration.flaw(of: status, owner: writer) {
      throw .file(path, flaw)
    }
    guard let currentPath = try reading({ () throws(SystemError) in try file.currentPath() }) else {
      return nil
    }
    try checkDirectories(above: path)
    if currentPath != path { try checkDirectories(above: currentPath) }
    let bytes = try reading { () throws(SystemError) in
      try file.readAll(upTo: Int(TrustedFile.configuration.largest))
    }
    return ConfigurationText(name: path, path: currentPath, mode: status.mode & 0o777, bytes: bytes)
  }

  private func reading<Value: ~Copyable>(
    _ call: () throws(SystemError) -> Value
  ) throws(ConfigurationFault) -> Value {
    try mapError(
      { error -> ConfigurationFault in
        switch error.errno {
        case .tooLarge: .file(path, .tooLarge)
        case .noSuchAddress: .file(path, .notRegular)
        default: .file(path, .unreadable(error))
        }
      }, call)
  }

  fileprivate func checkDirectories(above path: String) throws(ConfigurationFault) {
    try mapError(ConfigurationFault.directory) { () throws(DirectoryRefusal) in
      try Ancestors.check(above: path, owner: owner)
    }
  }

  /// Parses the bytes of a file. An empty file has no settings.
  static func object(_ bytes: [UInt8], _ path: String) throws(ConfigurationFault) -> JSONObject {
    if bytes.allSatisfy({ " \t\r\n".utf8.contains($0) }) { return JSONObject() }
    let value = try mapError({ ConfigurationFault.syntax(path, $0) }) { () throws(JSONError) in
      try JSONValue(decoding: bytes.span, limits: JSONLimits(depth: 8))
    }
    guard let object = value.object else { throw .notObject(path) }
    return object
  }
}

// MARK: - Members

/// The valid settings of a file by their keys, and the faults of the others.
struct CheckedSettings {
  var values: [String: String] = [:]
  var faults: [ConfigurationFault] = []

  /// Checks the members of a file as the parser checks options. If `entries` is given, only their
  /// members are checked.
  init(_ object: JSONObject, in path: String, of entries: [SettingEntry]? = nil) {
    for member in object.members
    where entries?.contains(where: { $0.key == member.key }) ?? true {
      do throws(ConfigurationFault) {
        values[member.key] = try Self.text(of: member, path)
      } catch {
        faults.append(error)
      }
    }
  }

  private static func text(
    of member: JSONObject.Member, _ path: String
  ) throws(ConfigurationFault) -> String {
    guard let entry = Settings.entry(member.key) else {
      throw .unknownKey(path, key: member.key)
    }
    let text: String
    switch member.value {
    case .string(let string): text = string
    case .integer(let integer): text = "\(integer)"
    case .number(let number): text = "\(number)"
    default:
      throw .kind(
        path, key: entry.key, expectation: entry.value.expectation, found: member.value.kind)
    }
    try mapError(ConfigurationFault.value) { () throws(UsageError) in
      try entry.value.check(text, of: "\(quoted(path)): \(entry.key)")
    }
    return text
  }
}

// MARK: - Writing

extension ConfigurationFile {
  /// Changes the settings, and replaces the file in one step.
  ///
  /// - Parameter change: changes the members. If it throws, the file is not changed.
  func rewrite(_ change: (inout JSONObject) throws -> Void) throws {
    let (parent, name) = try failing { () throws(ConfigurationFault) in try text() }.path.pathParts
    let directory = try directory(parent)
    let lock = try writing { () throws(SystemError) in
      try FileLock(on: directory, waitingUpTo: .seconds(5))
    }
    defer { withExtendedLifetime(lock) {} }
    // Another command may have changed the file before this one got the lock.
    let (mode, before) = try failing { () throws(ConfigurationFault) in
      let text = try self.text()
      return (text.mode, try text.object())
    }
    var object = before
    try change(&object)
    let bytes = Array((JSONValue.object(object).encoded(indented: true) + "\n").utf8)
    try writing { () throws(SystemError) in
      try AtomicFile.write(bytes.span, to: name, in: directory, mode: mode ?? 0o600)
    }
  }

  /// Reads or checks something of the file; a fault becomes the failure of the command.
  func failing<Value>(
    _ call: () throws(ConfigurationFault) -> Value
  ) throws -> Value {
    try mapError({ $0.failure(in: self) }, call)
  }

  /// Opens the directory of the file, and creates it if it does not exist. Throws if other users
  /// could replace files in it.
  func directory(_ parent: String) throws -> Directory {
    try writing { () throws(SystemError) in try Directory.makeAll(parent) }
    try failing { () throws(ConfigurationFault) in
      try checkDirectories(above: parent.path(of: "config.json"))
    }
    return try writing { () throws(SystemError) in try Directory(parent) }
  }

  func writing<Value: ~Copyable>(
    _ call: () throws(SystemError) -> Value
  ) throws -> Value {
    try mapError(
      { error in
        let remedy = error.errno.remedy(byMoving: "XDG_CONFIG_HOME").map(Message.repair)
        return Failure(
          .outputRefused, "cannot write", on: path, why: "\(error.errno)",
          advice: level == .system ? "an administrator can change it" : remedy)
      }, call)
  }
}

// MARK: - Words

extension ConfigurationFault {
  /// The file and its fault in one sentence.
  var words: String {
    switch self {
    case .directory(let refusal): refusal.description
    case .file(let path, let flaw): "\(quoted(path)) \(flaw)"
    case .syntax(let path, let error): "\(quoted(path)): \(printable(error.description))"
    case .notObject(let path): "\(quoted(path)) is not an object such as { \"rate\": 48000 }"
    case .unknownKey(let path, let key):
      "\(quoted(path)): unknown setting \(quoted(key))"
        + UsageError.suggestion(nearestSettings(to: key.lowercased()))
    case .kind(let path, let key, let expectation, let found):
      "\(quoted(path)): \(key) is \(found); use \(expectation)"
    case .value(let error): error.message.fact
    }
  }

  /// Returns the next steps for the user.
  func advice(in file: ConfigurationFile) -> [String] {
    if file.level == .system { return ["an administrator can correct it"] }
    return switch self {
    case .directory(let refusal):
      switch refusal.reason {
      case .exposed(let exposure):
        exposure.remedy(shellArgument(refusal.path)).map { ["type: \($0)"] } ?? []
      default: []
      }
    case .file(let path, .writableByOthers):
      ["check its contents, then type: chmod go-w \(shellArgument(path))"]
    case .file(let path, .owner): ["move \(quoted(path)) away, or ask its owner to"]
    case .file: []
    case .unknownKey(_, let key):
      ["\"recorder config unset \(shellArgument(key))\" removes it"]
    case .value(let error): error.message.advice + [Self.editAdvice]
    case .syntax, .notObject, .kind: [Self.editAdvice]
    }
  }

  private static let editAdvice = "\"recorder config edit\" corrects it"

  /// Returns the failure of a command that needs the settings.
  func failure(in file: ConfigurationFile) -> Failure {
    Failure(.failed, words, advice: advice(in: file))
  }
}

/// Returns the keys of the settings whose names are nearest to a text.
func nearestSettings(to text: String) -> [String] {
  nearestNames(to: text, among: Settings.all.map(\.key))
}
