internal import JSON
package import Linux

/// The files that retention may delete, as they were saved, a line each; the last line of a path
/// counts.
///
/// In a file of its own: former releases take no other keys in the catalogue.
extension SessionShelf {
  private static var savedFiles: String { "saved.jsonl" }
  private static var savedFilesLock: String { "saved.lock" }
  private static var mostSavedBytes: Int { 1 << 28 }

  /// Adds what a file is now.
  package func remember(_ file: SavedFile) throws(DirectoryRefusal) {
    try changingSavedFiles { directory throws(SystemError) in
      let list = try directory.open(
        Self.savedFiles, [.readWrite, .create, .append, .noFollow, .nonBlocking])
      let line = Array((file.json.encoded() + "\n").utf8)
      try list.writeAll(line.span)
    }
  }

  /// The files that are known, by path.
  package var savedFiles: [String: SavedFile] {
    guard let directory = try? PrivateDirectory.open(places.state) else { return [:] }
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
    let directory = try PrivateDirectory.make(at: places.state)
    do {
      let lock = try FileLock(Self.savedFilesLock, in: directory, waitingUpTo: .seconds(2))
      try body(directory)
      _ = consume lock
    } catch {
      throw DirectoryRefusal(places.state, .system(error))
    }
  }
}
