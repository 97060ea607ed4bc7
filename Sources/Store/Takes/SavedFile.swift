package import JSON
package import Linux

/// A file that a recording made, as it was once it was complete: only while it is that, retention
/// deletes it.
package struct SavedFile: Hashable, Sendable {
  package var path: String
  package var size: Int64
  package var inode: UInt64
  /// In nanoseconds since 1970.
  package var modified: Int64
  package var changed: Int64
  /// The digest of its content; nil for a file that stays.
  package var digest: String?
  /// The file beside it, and what that holds.
  package var sidecar: Beside?
  /// True once it was found to be changed; then it stays.
  package var isLeft = false

  /// A file beside it.
  package struct Beside: Hashable, Sendable {
    package var path: String
    package var digest: String

    package init(path: String, digest: String) {
      self.path = path
      self.digest = digest
    }
  }

  package init(path: String, _ status: FileStatus, digest: String?) {
    self.path = path
    size = status.size
    inode = status.inode
    modified = status.modified.wholeNanoseconds
    changed = status.changed.wholeNanoseconds
    self.digest = digest
  }

  /// True where nothing can have changed it since: nobody can set the time of its last change.
  package func isUntouched(_ status: FileStatus) -> Bool {
    status.size == size && status.inode == inode
      && status.modified.wholeNanoseconds == modified
      && status.changed.wholeNanoseconds == changed
  }
}

extension SavedFile: JSONConvertible {
  package init?(json: JSONValue) {
    guard let path = json["path"]?.string, let size = json["size"]?.integer(in: 0...Int64.max),
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

extension Duration {
  fileprivate var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}

/// The files that retention may delete, as they were saved, a line each; the last line of a path
/// counts.
///
/// In a file of its own: former releases take no other keys in the catalogue.
extension SessionStore {
  private static var savedFiles: String { "saved.jsonl" }
  private static var savedFilesLock: String { "saved.lock" }
  private static var mostSavedBytes: Int { 1 << 28 }

  /// Adds what a file is now.
  package func remember(_ file: SavedFile) throws(DirectoryRefusal) {
    try changingSavedFiles { directory throws(SystemError) in
      let list = try directory.open(
        Self.savedFiles, [.readWrite, .create, .append, .noFollow, .nonBlocking])
      try list.append(line: file.json.encoded())
    }
  }

  /// The files that are known, by path.
  package var savedFiles: [String: SavedFile] {
    guard let directory = try? PrivateDirectory.open(paths.state) else { return [:] }
    return Self.savedFiles(in: directory)
  }

  /// Drops the lines of files that are gone, and those that a later one of the same path replaced.
  package func forgetSavedFiles(at paths: Set<String>) throws(DirectoryRefusal) {
    guard !paths.isEmpty else { return }
    try changingSavedFiles { directory throws(SystemError) in
      let kept = Self.savedFiles(in: directory).values.filter { !paths.contains($0.path) }
      let lines = kept.sorted { $0.path < $1.path }.map { $0.json.encoded() + "\n" }
      let bytes = Array(lines.joined().utf8)
      try AtomicFile.removeLeftovers(of: Self.savedFiles, in: directory)
      try AtomicFile.write(bytes.span, to: Self.savedFiles, in: directory)
    }
  }

  private static func savedFiles(in directory: borrowing Directory) -> [String: SavedFile] {
    guard let file = try? directory.open(savedFiles, [.noFollow, .nonBlocking]),
      let bytes = try? file.readAll(upTo: mostSavedBytes)
    else { return [:] }
    return savedFiles(in: bytes)
  }

  /// The files of such a list's lines, by path.
  static func savedFiles(in bytes: [UInt8]) -> [String: SavedFile] {
    var found: [String: SavedFile] = [:]
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let json = try? JSONValue(decoding: Array(line).span)
      if let file = json.flatMap(SavedFile.init(json:)) { found[file.path] = file }
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
