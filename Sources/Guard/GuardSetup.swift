internal import Digest
internal import JSON
package import Linux

/// The files of the guard in the directories of the user. Only one process changes them at a time.
///
/// A list in the state directory has the path and the digest of each file that recorder wrote. Any
/// version of recorder may replace or remove such a file, but only while its content still matches
/// the digest.
package struct GuardSetup: ~Copyable {
  /// A change of a file.
  package enum Change: String, Sendable {
    /// The file is created.
    case write
    /// A file that recorder wrote with other content, such as for another mode, is replaced.
    case replace
    case remove
    /// The file already has the wanted content.
    case keep
    /// The file is not removed, because recorder did not write its current content.
    case leave
  }

  /// A file and its change.
  package struct Step: Hashable, Sendable {
    package let path: Path
    package let change: Change

    /// Whether the step creates, replaces or removes the file.
    package var isChange: Bool { change != .keep && change != .leave }
  }

  /// A file that recorder wrote.
  fileprivate struct Entry: Hashable {
    var path = Path("")
    var digest = ""
  }

  private let places: GuardFile.Places
  private let directory: Directory
  private let lock: FileLock
  private var entries: [Entry]

  private static let list = "guard-files.json"
  private static let lock = "guard-files.lock"
  private static let patience = Duration.seconds(10)
  private static let largest = 1 << 20

  /// Takes the lock of the list, waiting up to 10 s, and reads the list.
  package init(_ places: GuardFile.Places) throws {
    let directory = try PrivateDirectory.make(at: places.state)
    let lock = try FileLock(Self.lock, in: directory, waitingUpTo: Self.patience)
    let entries = try Self.entries(in: directory)
    self.places = places
    self.directory = directory
    self.lock = lock
    self.entries = entries
  }

  private static func entries(in directory: borrowing Directory) throws -> [Entry] {
    guard let file = try ifPresent(directory.open(list, .noFollow)) else { return [] }
    let bytes = try file.readAll(upTo: largest)
    let json = try JSONValue(decoding: bytes.span)
    return json["files"]?.array?.compactMap(Entry.init(json:)) ?? []
  }

  /// Returns the steps that install these files and remove the listed files that are no longer
  /// wanted. Throws if one of the wanted files exists with other content that recorder did not
  /// write.
  package func plan(_ files: [GuardFile]) throws -> [Step] {
    let wanted = Set<Path>(files.map(\.path))
    let outdated = entries.map(\.path).filter { !wanted.contains($0) }
    // The order is reversed, so that the script is removed after the settings that load it.
    var steps: [Step] = []
    for path in Self.unique(outdated).reversed() {
      if let step = removal(path) { steps.append(step) }
    }
    for file in files {
      let present = try Self.content(of: file.path)
      let change: Change =
        if let present {
          present == file.content ? .keep : isWritten(file.path, present) ? .replace : .leave
        } else { .write }
      guard change != .leave else { throw GuardError.foreignFile(file.path) }
      steps.append(Step(path: file.path, change: change))
    }
    return steps
  }

  /// Returns the steps that remove the guard's files. Files that recorder did not write are left.
  package func planRemoval() throws -> [Step] {
    let steps = try plan([])
    let known = Set<Path>(steps.map(\.path))
    let others = places.all.filter { !known.contains($0) && Self.exists($0) }
    return steps + others.map { Step(path: $0, change: .leave) }
  }

  /// Carries out a plan for these files.
  package mutating func apply(_ steps: [Step], _ files: [GuardFile]) throws {
    let old = entries
    let wanted = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0) })
    let changed = Set<Path>(steps.filter(\.isChange).map(\.path))
    // A file that another program wrote with the same content is not listed.
    let new = files.map { Entry(path: $0.path, digest: $0.digest) }
      .filter { changed.contains($0.path) || old.contains($0) }
    // The list is written before the files, so that no file is missing from the list if this
    // process is killed.
    try store(old + new.filter { !old.contains($0) })
    for step in steps {
      switch step.change {
      case .keep, .leave: break
      case .remove: try Self.remove(step.path)
      case .write, .replace:
        guard let file = wanted[step.path] else { break }
        try Self.write(file, replacing: step.change == .replace)
      }
    }
    try store(new)
  }
}

extension GuardSetup {
  private func isWritten(_ path: Path, _ content: [UInt8]) -> Bool {
    let isFile = (try? FileStatus(of: path.text, following: false))?.kind == .regular
    return isFile
      && entries.contains(Entry(path: path, digest: SHA256(of: content).hexadecimal))
  }

  /// Returns the step for a file that is no longer wanted, or nil if the file does not exist.
  private func removal(_ path: Path) -> Step? {
    guard Self.exists(path) else { return nil }
    let content = (try? Self.content(of: path)) ?? []
    return Step(path: path, change: isWritten(path, content) ? .remove : .leave)
  }

  private mutating func store(_ new: [Entry]) throws {
    if new == entries { return }
    if new.isEmpty {
      _ = try ifPresent(directory.remove(Self.list))
    } else {
      let json: JSONValue = ["files": .array(new.map(\.json))]
      let bytes = Array((json.encoded() + "\n").utf8)
      try AtomicFile.write(bytes.span, to: Self.list, in: directory)
    }
    entries = new
  }

  private static func unique(_ paths: [Path]) -> [Path] {
    var seen: Set<Path> = []
    return paths.filter { seen.insert($0).inserted }
  }

  private static func exists(_ path: Path) -> Bool {
    (try? FileStatus(of: path.text, following: false)) != nil
  }

  /// Returns the content of a file, or nil if it does not exist.
  private static func content(of path: Path) throws(SystemError) -> [UInt8]? {
    // If the path leads to a FIFO, opening it must not block.
    try ifPresent(Descriptor(opening: path.text, .nonBlocking))?.readAll(upTo: largest)
  }

  private static func remove(_ path: Path) throws(SystemError) {
    let (parent, name) = path.text.pathParts
    let directory = try Directory(parent)
    try directory.remove(name)
    try directory.synchronize()
  }

  private static func write(_ file: GuardFile, replacing: Bool) throws(SystemError) {
    if replacing {
      let (parent, name) = file.path.text.pathParts
      return try AtomicFile.write(file.content.span, to: name, in: Directory(parent))
    }
    let new = try UnfinishedFile(for: file.path.text)
    let descriptor = try new.descriptor()
    try descriptor.writeAll(file.content.span)
    try descriptor.synchronize()
    try new.publish()
  }
}

extension GuardSetup.Entry {
  fileprivate init?(json: JSONValue) {
    guard let path = json["path"]?.string, let digest = json["sha256"]?.string else { return nil }
    self.init(path: Path(path), digest: digest)
  }

  fileprivate var json: JSONValue { ["path": .string(path.text), "sha256": .string(digest)] }
}
