internal import JSON
internal import Linux
internal import Permission

/// A file of settings that only its owner or root can write.
struct ConfigurationFile: Hashable, Sendable {
  /// The scope of the settings in a file: one user, or the whole system.
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

/// The contents of a file of settings.
struct ConfigurationText {
  /// The path of the file, with symbolic links resolved. If the file does not exist, the path where
  /// a change creates it.
  let path: String
  /// The permissions of the file, or nil if it does not exist.
  var mode: UInt32?
  /// The bytes of the file; empty if the file does not exist.
  var bytes: [UInt8] = []
}

extension ConfigurationFile {
  /// Reads the file without checking its settings.
  ///
  /// A file that does not exist has no settings. Symbolic links are followed, because some users
  /// keep their settings in a directory under version control. The directories above the link and
  /// above its target are checked.
  func text() throws -> ConfigurationText {
    try reading {
      for _ in 0..<Self.mostReadings {
        guard let file = try open() else { return ConfigurationText(path: try newPath()) }
        if let text = try text(of: file) { return text }
      }
      throw SystemError("open", path, errno: .busy)
    }
  }

  /// The highest number of attempts to read a file that is replaced repeatedly.
  private static var mostReadings: Int { 100 }

  /// Returns the path where a change creates the missing file. A symbolic link to a missing file is
  /// kept, and the file is created at its target.
  private func newPath() throws -> String {
    var path = path
    for _ in 0..<Self.mostLinks {
      let status = try? FileStatus(of: path, following: false)
      guard status?.kind == .symbolicLink else { return path }
      try Ancestors.check(above: path, owner: owner)
      let target = try SymbolicLink.target(of: path)
      path = target.begins(with: "/") ? target : path.pathParts.directory.path(of: target)
    }
    throw SystemError("readlink", path, errno: .tooManyLinks)
  }

  /// The highest number of symbolic links that the kernel follows in one path.
  private static var mostLinks: Int { 40 }

  /// Opens the file, without waiting if it is a FIFO. Returns nil if it does not exist.
  private func open() throws(SystemError) -> Descriptor? {
    do {
      return try Descriptor(opening: path, [.readOnly, .nonBlocking])
    } catch let error where [.noSuchFile, .notDirectory].contains(error.errno) {
      return nil
    }
  }

  /// Returns the contents of an open file, or nil if the file was removed or replaced.
  private func text(of file: borrowing Descriptor) throws -> ConfigurationText? {
    let status = try file.status()
    // A file that root owns is accepted too: root could change any file of this user.
    let writer = status.owner == 0 ? 0 : owner
    if let flaw = TrustedFile.configuration.flaw(of: status, owner: writer) { throw fault(flaw) }
    guard let currentPath = try file.currentPath() else { return nil }
    try Ancestors.check(above: path, owner: owner)
    if !currentPath.isSameName(as: path) { try Ancestors.check(above: currentPath, owner: owner) }
    let bytes = try file.readAll(upTo: Int(TrustedFile.configuration.largest))
    return ConfigurationText(path: currentPath, mode: status.mode & 0o777, bytes: bytes)
  }

  /// Parses the bytes of the file, and returns the object, including unknown members. An empty file
  /// has no settings.
  func object(_ bytes: [UInt8]) throws -> JSONObject {
    if bytes.allSatisfy({ " \t\r\n".utf8.contains($0) }) { return JSONObject() }
    let value = try reading { try JSONValue(decoding: bytes.span, limits: JSONLimits(depth: 8)) }
    guard let object = value.object else {
      throw fault("\(quoted(path)) is not an object such as { \"rate\": 48000 }")
    }
    return object
  }
}

// MARK: - Faults

extension ConfigurationFile {
  fileprivate static let editAdvice = "\"recorder config edit\" corrects it"

  /// Returns the failure of a command that needs the settings.
  ///
  /// - Parameters:
  ///   - words: the file and its fault in one sentence.
  ///   - advice: the next steps if the file is the user's; they are ignored for the system's file.
  func fault(_ words: String, advice: [String] = [Self.editAdvice]) -> Failure {
    Failure(
      .failed, words, advice: level == .system ? ["an administrator can correct it"] : advice)
  }

  /// Runs a step that reads the file. Throws its error as a failure that names the file.
  private func reading<Value>(_ step: () throws -> Value) throws(Failure) -> Value {
    try mapError({ (error: any Error) in failure(of: error) }, step)
  }

  private func failure(of error: any Error) -> Failure {
    switch error {
    case let refusal as DirectoryRefusal: fault(refusal)
    case let error as JSONError: fault("\(quoted(path)): \(printable("\(error)"))")
    case let error as SystemError:
      switch error.errno {
      case .tooLarge: fault(.tooLarge(limit: TrustedFile.configuration.largest))
      case .noSuchAddress: fault(.notRegular)
      default: fault(.unreadable(error))
      }
    default: Failure(explaining: error)
    }
  }

  private func fault(_ flaw: FileFlaw) -> Failure {
    let advice: String? =
      switch flaw {
      case .writableByOthers: "check its contents, then type: chmod go-w \(shellArgument(path))"
      case .owner: "move \(quoted(path)) to another directory, or ask its owner to move it"
      default: nil
      }
    return fault("\(quoted(path)) \(flaw)", advice: [advice].compactMap(\.self))
  }

  /// Returns the failure for an untrusted directory above the file.
  private func fault(_ refusal: DirectoryRefusal) -> Failure {
    var remedy: String?
    if case .exposed(let exposure) = refusal.reason {
      remedy = exposure.remedy(shellArgument(refusal.path)).map { "type: \($0)" }
    }
    return fault(refusal.description, advice: [remedy].compactMap(\.self))
  }
}

// MARK: - Members

/// A file of settings that was read and checked.
struct CheckedConfiguration: Sendable {
  let file: ConfigurationFile
  /// The valid settings by their keys.
  private(set) var values: [String: String] = [:]
  /// The faults of the file and of its invalid settings.
  private(set) var faults: [Failure] = []
  /// Whether the file exists.
  private(set) var exists = false
}

extension CheckedConfiguration {
  /// Reads a file. If `entries` is given, only the members for these settings are checked.
  init(_ file: ConfigurationFile, of entries: [SettingEntry]? = nil) {
    self.init(file: file)
    do {
      let text = try file.text()
      exists = text.mode != nil
      check(text.bytes, of: entries)
    } catch {
      (faults, exists) = ([Failure(explaining: error)], true)
    }
  }

  /// Checks `bytes` as the new contents of `file`.
  init(_ bytes: [UInt8], for file: ConfigurationFile) {
    self.init(file: file)
    check(bytes, of: nil)
  }

  private mutating func check(_ bytes: [UInt8], of entries: [SettingEntry]?) {
    do {
      for member in try file.object(bytes).members
      where entries?.contains(where: { $0.key == member.key }) ?? true {
        do {
          values[member.key] = try Self.text(of: member, file)
        } catch {
          faults.append(Failure(explaining: error))
        }
      }
    } catch {
      faults.append(Failure(explaining: error))
    }
  }

  private static func text(
    of member: JSONObject.Member, _ file: ConfigurationFile
  ) throws -> String {
    let key = member.key
    guard let entry = Settings.entry(key) else {
      throw file.fault(
        "\(quoted(file.path)): unknown setting \(quoted(key))"
          + UsageError.suggestion(nearestSettings(to: key.lowercased())),
        advice: ["\"recorder config unset \(shellArgument(key))\" removes it"])
    }
    let text: String
    switch member.value {
    case .string(let string): text = string
    case .integer(let integer): text = "\(integer)"
    case .number(let number): text = "\(number)"
    default:
      throw file.fault(
        "\(quoted(file.path)): \(key) is \(member.value.kind); use \(entry.value.expectation)")
    }
    do throws(UsageError) {
      try entry.value.check(text, of: "\(quoted(file.path)): \(key)")
    } catch {
      let advice = error.message.advice + [ConfigurationFile.editAdvice]
      throw file.fault(error.message.fact, advice: advice)
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
    let (parent, name) = try text().path.pathParts
    let directory = try directory(parent)
    let lock = try lock(directory)
    defer { withExtendedLifetime(lock) {} }
    // The file is read again, because another command may have changed it before this command got
    // the lock.
    let text = try self.text()
    var object = try object(text.bytes)
    try change(&object)
    let bytes = Array((JSONValue.object(object).encoded(indented: true) + "\n").utf8)
    try writing {
      try AtomicFile.write(bytes.span, to: name, in: directory, mode: text.mode ?? 0o600)
    }
  }

  /// Takes the lock of the file's directory, which every change of the file needs.
  func lock(_ directory: borrowing Directory) throws -> FileLock {
    try writing { try FileLock(on: directory, waitingUpTo: .seconds(5)) }
  }

  /// Opens the directory of the file, and creates it if it does not exist. Throws if other users
  /// could replace files in it.
  func directory(_ parent: String) throws -> Directory {
    try writing { try Directory.makeAll(parent) }
    try reading { try Ancestors.check(above: parent.path(of: "config.json"), owner: owner) }
    return try writing { try Directory(parent) }
  }

  /// Runs `call`. An error of the system becomes a failure that names the file.
  func writing<Value: ~Copyable>(_ call: () throws -> Value) throws -> Value {
    do {
      return try call()
    } catch let error as SystemError {
      let remedy = error.errno.remedy(byMoving: "XDG_CONFIG_HOME").map(Message.repair)
      throw Failure(
        .outputRefused, "cannot write", on: path, why: "\(error.errno)",
        advice: level == .system ? "an administrator can change it" : remedy)
    }
  }
}

/// Returns the keys of the settings whose names are nearest to a text.
func nearestSettings(to text: String) -> [String] {
  nearestNames(to: text, among: Settings.all.map(\.key))
}
