package import Control
package import JSON
package import Linux

/// The facts of a complete recorded file. Retention (`--keep`) deletes the file only if these facts
/// are still true.
package struct SavedFile: Hashable, Sendable {
  /// The absolute path of the file.
  package var path: String
  /// The segment that the file belongs to. A later segment may have a file with the same path.
  private var take: TakeKey
  /// The facts that identify the file.
  private var trace: FileTrace
  /// The time of the last change of the inode, in nanoseconds since 1970.
  private var changed: Int64
  /// The digest of its content, or nil for a file that retention never deletes.
  package var digest: String?
  /// The sidecar and its digest, or nil if there is none.
  package var sidecar: Beside?
  /// True if retention found that the file was changed. Retention never deletes such a file.
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

  /// The size of the file in bytes.
  package var size: Int64 { trace.size }

  /// Creates the facts of a file of a result from the status of the file.
  package init(_ result: RecordingResult, path: String, _ status: FileStatus, digest: String?) {
    self.init(
      TakeKey(result), path, FileTrace(status), changed: status.changed.wholeNanoseconds)
    self.digest = digest
  }

  private init(_ take: TakeKey, _ path: String, _ trace: FileTrace, changed: Int64) {
    (self.take, self.path, self.trace, self.changed) = (take, path, trace, changed)
  }

  /// Returns true if the file belongs to this result.
  package func isFile(of result: RecordingResult) -> Bool { take == TakeKey(result) }

  /// Returns true if the status shows that the file was not changed after these facts were
  /// collected. The time of the inode's last change is reliable, because programs cannot set it.
  package func isUntouched(_ status: FileStatus) -> Bool {
    FileTrace(status) == trace && status.changed.wholeNanoseconds == changed
  }
}

extension SavedFile: JSONMembers {
  /// Facts whose members are about to be read.
  package static var blank: SavedFile {
    SavedFile(TakeKey(identifier: "", segment: 1), "", FileTrace(), changed: 0)
  }

  /// Lists the members of the line in the list of saved files.
  package mutating func list(in form: inout JSONForm) {
    form.member("path", &path)
    form.member("take", &take.identifier)
    form.member("segment", &take.segment, in: .ordinals)
    form.member("file", &trace)
    form.member("changed", &changed)
    form.member("digest", &digest)
    form.member("sidecar", &sidecar)
    form.member("left", &isLeft, or: false)
  }
}

extension SavedFile.Beside: JSONMembers {
  /// A sidecar whose members are about to be read.
  package static var blank: SavedFile.Beside { SavedFile.Beside(path: "", digest: "") }

  /// Lists the path and the digest.
  package mutating func list(in form: inout JSONForm) {
    form.member("path", &path)
    form.member("digest", &digest)
  }
}

/// The list of files that retention may delete, one line for each file. If several lines have the
/// same path, the last line applies.
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

  /// Removes the lines of the deleted files at `paths`. Of several lines with the same path, keeps
  /// only the last.
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

  /// Returns the files in the lines of a list of saved files, by path.
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
