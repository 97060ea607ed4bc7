package import JSON
package import Linux

/// The facts of a complete recorded file: retention deletes the file only while they still hold.
package struct SavedFile: Hashable, Sendable {
  /// The absolute path of the file.
  package var path: String
  /// The size in bytes.
  package var size: Int64
  /// The inode of the file: another file at the same path has another one.
  package var inode: UInt64
  /// The time of the last write, in nanoseconds since 1970.
  package var modified: Int64
  /// The time of the last change of the inode, in nanoseconds since 1970.
  package var changed: Int64
  /// The digest of its content; nil for a file that retention never deletes.
  package var digest: String?
  /// The sidecar and its digest; nil for none.
  package var sidecar: Beside?
  /// True once the file was found to be changed; then it stays.
  package var isLeft = false

  /// The sidecar of a saved file.
  package struct Beside: Hashable, Sendable {
    /// The absolute path of the sidecar.
    package var path: String
    /// The digest of its content, in hexadecimal.
    package var digest: String

    /// A sidecar as it was written.
    package init(path: String, digest: String) {
      self.path = path
      self.digest = digest
    }
  }

  /// The facts of a file by its status.
  package init(path: String, _ status: FileStatus, digest: String?) {
    self.path = path
    size = status.size
    inode = status.inode
    modified = status.modified.wholeNanoseconds
    changed = status.changed.wholeNanoseconds
    self.digest = digest
  }

  /// True where nothing can have changed the file since: nobody can set the time of the last
  /// change.
  package func isUntouched(_ status: FileStatus) -> Bool {
    status.size == size && status.inode == inode
      && status.modified.wholeNanoseconds == modified
      && status.changed.wholeNanoseconds == changed
  }
}

extension SavedFile: JSONConvertible {
  /// Reads what `json` wrote; nil where a member is missing or wrong.
  package init?(json: JSONValue) {
    guard let path = json["path"]?.string, let size = json["size"]?.integer(in: .sizes),
      let inode = json["inode"]?.string.flatMap({ UInt64($0) }),
      let modified = json["modified"].flatMap(Int64.init(json:)),
      let changed = json["changed"].flatMap(Int64.init(json:))
    else { return nil }
    self.path = path
    self.size = size
    self.inode = inode
    self.modified = modified
    self.changed = changed
    digest = json["digest"]?.string
    isLeft = json["left"]?.bool ?? false
    if let beside = json["sidecar"]?.string, let digest = json["sidecarDigest"]?.string {
      sidecar = Beside(path: beside, digest: digest)
    }
  }

  /// The line of the list of saved files; the inode is a string.
  package var json: JSONValue {
    var members: JSONObject = ["path": path.json]
    members.set("size", size)
    // An inode has 64 bits without a sign, which is more than JSON has here.
    members.set("inode", String(inode))
    members.set("modified", modified)
    members.set("changed", changed)
    members.set("digest", digest)
    members.set("sidecar", sidecar?.path)
    members.set("sidecarDigest", sidecar?.digest)
    if isLeft { members.set("left", true) }
    return .object(members)
  }
}

/// The list of files that retention may delete, one line each; the last line of a path counts.
extension SessionStore {
  private static var savedFiles: String { "saved.jsonl" }
  private static var savedFilesLock: String { "saved.lock" }
  private static var mostSavedBytes: Int { 1 << 28 }

  /// Adds the current facts of a file.
  package func remember(_ file: SavedFile) throws(DirectoryRefusal) {
    try changingSavedFiles { directory throws(SystemError) in
      let list = try directory.open(
        Self.savedFiles, [.readWrite, .create, .append, .noFollow, .nonBlocking])
      try list.append(line: file.json.encoded())
    }
  }

  /// The saved files, by path.
  package var savedFiles: [Path: SavedFile] {
    guard let directory = try? PrivateDirectory.open(paths.state) else { return [:] }
    return Self.savedFiles(in: directory)
  }

  /// Drops the lines of deleted files, and those that a later line of the same path replaced.
  package func forgetSavedFiles(at paths: Set<Path>) throws(DirectoryRefusal) {
    guard !paths.isEmpty else { return }
    try changingSavedFiles { directory throws(SystemError) in
      let kept = Self.savedFiles(in: directory).values.filter { !paths.contains(Path($0.path)) }
      let lines = kept.sorted { $0.path < $1.path }.map { $0.json.encoded() + "\n" }
      let bytes = Array(lines.joined().utf8)
      try AtomicFile.removeLeftovers(of: Self.savedFiles, in: directory)
      try AtomicFile.write(bytes.span, to: Self.savedFiles, in: directory)
    }
  }

  private static func savedFiles(in directory: borrowing Directory) -> [Path: SavedFile] {
    guard let file = try? directory.open(savedFiles, [.noFollow, .nonBlocking]),
      let bytes = try? file.readAll(upTo: mostSavedBytes)
    else { return [:] }
    return savedFiles(in: bytes)
  }

  /// The files of such a list's lines, by path.
  static func savedFiles(in bytes: [UInt8]) -> [Path: SavedFile] {
    var found: [Path: SavedFile] = [:]
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let json = try? JSONValue(decoding: Array(line).span)
      if let file = json.flatMap(SavedFile.init(json:)) { found[Path(file.path)] = file }
    }
    return found
  }

  private func changingSavedFiles(
    _ body: (borrowing Directory) throws(SystemError) -> Void
  ) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: paths.state)
    do {
      let lock = try FileLock(Self.savedFilesLock, in: directory, waitingUpTo: .seconds(2))
      try body(directory)
      _ = consume lock
    } catch {
      throw DirectoryRefusal(paths.state, .system(error))
    }
  }
}
