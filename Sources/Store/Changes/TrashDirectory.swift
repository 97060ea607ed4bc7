internal import Linux

/// A trash directory of the desktop, according to version 1.0 of freedesktop.org's specification.
struct TrashDirectory {
  /// The directory that contains `files` and `info`.
  let path: String
  /// The directory to which the paths in information files are relative. Nil for the user's own
  /// trash, where these paths are absolute.
  let top: String?

  /// The two paths for a file in the trash: the file itself, and the information file with its
  /// original path.
  struct Entry {
    let file: String
    let info: String
  }

  private static let ending = ".trashinfo"
  /// The maximum length of a file name in bytes. Longer names leave no room for a number and
  /// `.trashinfo`.
  private static let longest = 255 - 10 - 6
  private static let mostNumbers = 10_000

  /// Finds or creates the trash for the files of a directory. The user's own trash is used if it is
  /// on the same mount as the directory. Otherwise, a trash at the top of the directory's
  /// filesystem is used.
  ///
  /// - Parameter directory: an absolute path, free of symbolic links.
  init(for directory: String, home: String) throws(SystemError) {
    let mount = try Mount(of: directory)
    if Self.mount(ofNearest: home) == mount {
      self = TrashDirectory(path: home, top: nil)
      try Directory.makeAll(home)
    } else {
      self = try TrashDirectory(at: mount.top(above: directory))
    }
    for name in ["files", "info"] { try Self.make(path + "/" + name) }
  }

  private init(path: String, top: String?) {
    self.path = path
    self.top = top
  }

  /// Finds the user's trash at the top of a filesystem: in the administrator's shared trash if the
  /// shared trash is safe, or else a separate trash.
  private init(at top: String) throws(SystemError) {
    let user = "\(Environment.effectiveUser)"
    let (shared, own) = (top.path(of: ".Trash"), top.path(of: ".Trash-\(user)"))
    if Self.isShared(shared), (try? Self.make(shared + "/" + user)) != nil {
      self.init(path: shared + "/" + user, top: top)
      return
    }
    try Self.make(own)
    self.init(path: own, top: top)
  }

  /// Returns true for a directory with the sticky bit, in which users cannot remove the files of
  /// others.
  private static func isShared(_ path: String) -> Bool {
    guard let status = try? FileStatus(of: path, following: false) else { return false }
    return status.kind == .directory && status.mode & 0o1000 != 0
  }

  /// Creates a directory for this user only. An existing directory must belong to the user and must
  /// not be a link.
  private static func make(_ path: String) throws(SystemError) {
    let (parent, name) = path.pathParts
    let directory = try Directory(parent)
    do {
      try directory.makeDirectory(name)
    } catch {
      guard let status = try? directory.status(of: name) else { throw error }
      guard status.kind == .directory else {
        throw SystemError("mkdirat", path, errno: .notDirectory)
      }
      guard status.owner == Environment.effectiveUser else {
        throw SystemError("mkdirat", path, errno: .notPermitted)
      }
    }
  }

  private static func mount(ofNearest path: String) -> Mount? {
    for directory in [path] + path.directoriesAbove {
      if let mount = try? Mount(of: directory) { return mount }
    }
    return nil
  }
}

extension TrashDirectory {
  /// Returns unused paths for a file called `name`, or nil if all tried paths are in use.
  ///
  /// - Parameter taken: paths that are already chosen for other files.
  func freeEntry(for name: String, besides taken: Set<Path> = []) -> Entry? {
    let (stem, ending) = Self.shortened(name).nameParts
    for number in 1...Self.mostNumbers {
      let candidate = number == 1 ? stem + ending : "\(stem).\(number)\(ending)"
      let entry = Entry(
        file: "\(path)/files/\(candidate)", info: "\(path)/info/\(candidate)\(Self.ending)")
      if !taken.contains(Path(entry.file)), Self.isFree(entry.file), Self.isFree(entry.info) {
        return entry
      }
    }
    return nil
  }

  /// Returns the content of the information file: the original path and the time of the deletion.
  func info(for file: String, at time: WallTime) -> String {
    var origin = file
    if let top { origin = origin.trimmingBytes(first: top.utf8.count + (top == "/" ? 0 : 1)) }
    let date = time.local("%Y-%m-%dT%H:%M:%S") ?? ""
    return "[Trash Info]\nPath=\(Self.escaped(origin))\nDeletionDate=\(date)\n"
  }

  private static func isFree(_ path: String) -> Bool {
    do {
      _ = try FileStatus(of: path, following: false)
      return false
    } catch {
      return error.errno == .noSuchFile
    }
  }

  /// Returns the name. A name that leaves no room for a number is shortened before its extension.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > longest else { return name }
    let (stem, ending) = name.nameParts
    let kept = ending.utf8.count < longest ? ending : ""
    var short = stem.unicodeScalars[...]
    while String(short).utf8.count > longest - kept.utf8.count { short = short.dropLast() }
    return String(short) + kept
  }

  /// Percent-encodes the path as in a URL: every byte except ASCII letters, digits and `-_.~/`.
  private static func escaped(_ path: String) -> String {
    path.utf8.reduce(into: "") { text, byte in
      if byte.isASCIIAlphanumeric || "-_.~/".utf8.contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + PrintableText.hexadecimal(UInt32(byte), width: 2)
      }
    }
  }
}
