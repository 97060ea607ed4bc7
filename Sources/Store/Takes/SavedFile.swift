package import JSON
package import Linux

/// The facts of a complete recorded file. Retention deletes the file only while they still hold.
package struct SavedFile: Hashable, Sendable {
  /// The absolute path of the file.
  package var path: String
  /// The size in bytes.
  package var size: Int64
  /// The inode of the file. Another file at the same path has a different one.
  package var inode: UInt64
  /// The time of the last write, in nanoseconds since 1970.
  package var modified: Int64
  /// The time of the last change of the inode, in nanoseconds since 1970.
  package var changed: Int64
  /// The digest of its content, or nil for a file that retention never deletes.
  package var digest: String?
  /// The sidecar and its digest, or nil if there is none.
  package var sidecar: Beside?
  /// True if the file was found to be changed. Retention then keeps it.
  package var isLeft = false

  /// The sidecar of a saved file.
  package struct Beside: Hashable, Sendable {
    /// The absolute path of the sidecar.
    package var path: String
    /// The digest of its content, in hexadecimal.
    package var digest: String

    /// Creates a sidecar from its path and its digest.
    package init(path: String, digest: String) {
      self.path = path
      self.digest = digest
    }
  }

  /// Creates the facts of a file from its status.
  package init(path: String, _ status: FileStatus, digest: String?) {
    self.path = path
    size = status.size
    inode = status.inode
    modified = status.modified.wholeNanoseconds
    changed = status.changed.wholeNanoseconds
    self.digest = digest
  }

  /// Returns true if the file cannot have been changed since. Programs cannot set the time of the
  /// last change.
  package func isUntouched(_ status: FileStatus) -> Bool {
    status.size == size && status.inode == inode
      && status.modified.wholeNanoseconds == modified
      && status.changed.wholeNanoseconds == changed
  }
}

extension SavedFile: JSONConvertible {
  /// Reads the output of `json`. Returns nil if a member is missing or invalid.
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

  /// The line in the list of saved files. The inode is a string.
  package var json: JSONValue {
    var members: JSONObject = ["path": path.json]
    members.set("size", size)
    // An inode is an unsigned 64-bit number, which does not fit into a JSON integer here.
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

/// The list of files that retention may delete, one line each. The last line of a path counts.
package struct SavedFiles: Sendable {
  fileprivate let state: String

  private static let list = "saved.jsonl"
  private static let lock = "saved.lock"
  private static let mostBytes = 1 << 28
}

extension MachineStore {
  /// The files of this machine that retention may delete.
  package var savedFiles: SavedFiles { SavedFiles(state: paths.state) }
}

extension SavedFiles {
  /// Adds the current facts of a file.
  package func remember(_ file: SavedFile) throws(DirectoryRefusal) {
    try change { directory throws(SystemError) in _ = try directory.append(file, to: Self.list) }
  }

  /// The saved files, by path.
  package var all: [Path: SavedFile] {
    guard let directory = try? PrivateDirectory.open(state) else { return [:] }
    return Self.files(in: directory)
  }

  /// Removes the lines of deleted files, and lines that were replaced by a later line of the same
  /// path.
  package func forget(at paths: Set<Path>) throws(DirectoryRefusal) {
    guard !paths.isEmpty else { return }
    try change { directory throws(SystemError) in
      let kept = Self.files(in: directory).values.filter { !paths.contains(Path($0.path)) }
      let bytes = kept.sorted { $0.path < $1.path }.flatMap { Directory.line($0) }
      try AtomicFile.removeLeftovers(of: Self.list, in: directory)
      try AtomicFile.write(bytes.span, to: Self.list, in: directory)
    }
  }

  private static func files(in directory: borrowing Directory) -> [Path: SavedFile] {
    files(in: directory.content(of: list, upTo: mostBytes) ?? [])
  }

  /// Returns the files in the lines of such a list, by path.
  static func files(in bytes: [UInt8]) -> [Path: SavedFile] {
    let files = JSONValue.lines(of: bytes).compactMap(SavedFile.init(json:))
    return Dictionary(files.map { (Path($0.path), $0) }) { _, later in later }
  }

  private func change(
    _ body: (borrowing Directory) throws(SystemError) -> Void
  ) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: state)
    try DirectoryRefusal.of(state) { () throws(SystemError) in
      let lock = try FileLock(Self.lock, in: directory, waitingUpTo: .seconds(2))
      try body(directory)
      _ = consume lock
    }
  }
}
