package import Control
internal import Files
package import Linux
internal import Store
internal import Synchronization

/// The file of a take during the recording. It is hidden, private and locked, in the directory of
/// the final file.
package final class PartFile: Sendable {
  /// The result of publishing the file.
  struct Published {
    /// The name of the published file.
    var name: String
    /// The reason why the name may not survive a power cut, or nil if it does.
    var doubt: SystemError?
  }

  /// The directory of the part and of the final file.
  package let directory: Directory
  /// The name of the final file.
  package let name: String
  /// The hidden name of the part.
  package let part: String
  /// The open file, until a writer takes it.
  let file: Handoff<Descriptor>
  private let numbering: NumberedName
  private let number: Int
  private let position: RecordedPart.TakePosition
  private let journal: Journal
  /// The status of the file when it was created. It identifies the file even if another file gets
  /// its name.
  private let identity: FileStatus
  /// The lock that marks a live recording, or nil if the filesystem has no locks.
  private let lock: FileLock?

  fileprivate init(
    _ directory: consuming Directory, _ file: consuming Descriptor, _ lock: consuming FileLock?,
    _ numbering: NumberedName, _ number: Int, part: String, identity: FileStatus,
    _ position: RecordedPart.TakePosition
  ) {
    self.position = position
    self.identity = identity
    self.directory = directory
    self.file = Handoff(file)
    self.lock = lock
    self.numbering = numbering
    self.number = number
    self.part = part
    name = numbering.name(number)
    journal = Journal()
  }

  /// Splits a path into its directory and its last component.
  package static func split(_ path: String) -> (directory: String, name: String) {
    path.pathParts
  }
}

extension PartFile {
  /// The path of the final file, even after its directory was renamed.
  package var path: String { directory.presentPath(of: name) }
  /// The current path of the part, even after its directory was renamed.
  package var partPath: String { directory.presentPath(of: part) }

  /// The description of the part for the session's record.
  var recorded: RecordedPart {
    RecordedPart(
      path: partPath, file: RecordedPart.Number(identity),
      directory: (try? directory.descriptor.status()).map(RecordedPart.Number.init), position)
  }

  /// The free space on the filesystem in bytes, or nil if the system does not report it.
  package var freeBytes: Int64? { try? directory.descriptor.freeSpace() }

  /// The status of the file. If another program has removed its name, this is its status at the
  /// time it was created.
  var status: FileStatus {
    isNamed ? (try? directory.status(of: part)) ?? identity : identity
  }

  /// Whether the part still has its hidden name. Another program may have removed the name, or
  /// given it to another file.
  package var isNamed: Bool {
    do throws(SystemError) {
      let named = try directory.status(of: part)
      return (named.device, named.inode) == (identity.device, identity.inode)
    } catch {
      return error.errno != .noSuchFile
    }
  }

  /// Removes the part and its journal.
  package func discard() {
    if isNamed { try? directory.remove(part) }
    journal.remove(from: directory, named: part)
  }

  /// Synchronizes the directory. Otherwise a power cut may remove the part's name, and with it the
  /// take.
  func keepPart() { try? directory.synchronize() }

  /// Appends an event to the journal, so that it survives a crash.
  func note(_ line: String) { journal.append(line, in: directory, named: part) }

  /// Renames the part to its final name. If another file has that name meanwhile, the part gets the
  /// next free number.
  ///
  /// If this throws, the file keeps its hidden name.
  ///
  /// - Parameters:
  ///   - file: the file of the part. It is copied if its hidden name was removed.
  ///   - isReplacing: true to replace a file that has the name.
  func publish(_ file: CheckedFile, replacing isReplacing: Bool) throws(SystemError) -> Published {
    var published = Published(name: try publishedName(file, replacing: isReplacing))
    do throws(SystemError) {
      try directory.synchronize()
    } catch {
      published.doubt = error
    }
    return published
  }

  /// Removes the journal, once its events are in the sidecar and in the marks of the file.
  func forgetEvents() { journal.remove(from: directory, named: part) }

  private func publishedName(
    _ file: CheckedFile, replacing isReplacing: Bool
  ) throws(SystemError) -> String {
    let isNamed = isNamed
    if isReplacing, isNamed {
      try directory.rename(part, to: name)
      return name
    }
    var attempt = number
    while true {
      let candidate = numbering.name(attempt)
      do {
        if isNamed {
          try directory.renameWithoutReplacing(part, to: candidate)
        } else {
          try file.copy(to: candidate, in: directory)
        }
        return candidate
      } catch let error where error.errno == .exists && attempt < number + 1_000 {
        attempt += 1
      }
    }
  }
}

/// Makes the part of a take. No two takes can write to the same file.
package struct PartFileMaker {
  let plan: RecordingPlan
  /// The store, to find another recording that writes to the file.
  let store: MachineStore

  /// Creates the output directory if it does not exist. Throws if the name is in use.
  package static func directory(for plan: OutputPlan) throws -> Directory? {
    guard let path = plan.path else { return nil }
    let (parent, name) = PartFile.split(path)
    let directory = try open(parent, for: path)
    if plan.split == nil, let status = try? directory.status(of: name),
      let taken = TakenName(status, replacing: plan.replaces)
    {
      throw TakeError.output(path, .taken(taken))
    }
    return directory
  }

  static func open(_ parent: String, for path: String) throws -> Directory {
    try mapError({ (error: SystemError) in TakeError.output(path, .failed(error.errno)) }) {
      () throws(SystemError) in
      try Directory.makeAll(parent)
      return try Directory(resolving: parent)
    }
  }

  /// Makes the part for the file with this name and number. The parts of dead sessions stay.
  func make(
    in directory: consuming Directory, _ name: String, number: Int = 1,
    at position: RecordedPart.TakePosition = RecordedPart.TakePosition()
  ) throws -> PartFile {
    // The lock makes two simultaneous starts see each other. In a directory without locks, they may
    // miss each other.
    let turn = try? FileLock(on: directory, waitingUpTo: .seconds(1))
    let part = try makeAlone(in: directory, name, number, position)
    _ = consume turn
    return part
  }

  private func makeAlone(
    in directory: consuming Directory, _ name: String, _ number: Int,
    _ position: RecordedPart.TakePosition
  ) throws -> PartFile {
    let numbering = NumberedName(name)
    let target = numbering.name(number)
    guard target.utf8.count <= PartName.longestTarget else {
      throw TakeError.output(
        directory.path(of: target), .nameTooLong(most: PartName.longestTarget))
    }
    try refuseLive(target, in: directory)
    var attempt = 1
    while true {
      let part = PartName(of: target, attempt).text
      do throws(SystemError) {
        let file = try directory.open(part, [.readWrite, .create, .exclusive, .noFollow])
        let identity = try file.status()
        let lock = (try? FileLock.take(part, in: directory)) ?? nil
        // A journal without a part belongs to an earlier take.
        try? directory.remove(part + ".jsonl")
        return PartFile(
          directory, file, lock, numbering, number, part: part, identity: identity, position)
      } catch {
        guard error.errno == .exists, attempt < PartName.most else {
          throw TakeError.output(directory.path(of: target), .failed(error.errno))
        }
        attempt += 1
      }
    }
  }

  /// Throws if a live session records to the file.
  private func refuseLive(_ target: String, in directory: borrowing Directory) throws {
    let part = ".\(target).part"
    let holder = holder(of: part, in: directory)
    let isHeld = (try? FileLock.isHeld(part, in: directory)) ?? false
    guard holder != nil || isHeld else { return }
    throw TakeError.output(
      directory.path(of: target),
      .inUse(by: holder?.name, on: holder.flatMap(store.sessions.distantHost)))
  }

  /// Returns the live recording that writes to the file, under any name of its part. A recording on
  /// this host with this session's name is dead, because this session holds the lock of the name.
  private func holder(of part: String, in directory: borrowing Directory) -> SessionRecord? {
    guard let here = try? directory.descriptor.status() else { return nil }
    let distant = store.sessions.distant.map(\.record)
    return (store.sessions.records + distant).first { record in
      let isDistant = distant.contains { $0.identifier == record.identifier }
      guard record.name != plan.name || isDistant, let path = record.path,
        let written = record.part,
        ".\(PartFile.split(path).name).part" == part,
        let there = try? FileStatus(of: PartFile.split(written).directory),
        (there.device, there.inode) == (here.device, here.inode), record.isLeft
      else { return false }
      return isDistant || store.sessions.isLive(record)
    }
  }
}

/// The events of a take, in a file next to the part. Each event is appended when it happens; the
/// first one creates the file.
private final class Journal: Sendable {
  private let exists = Atomic<Bool>(false)

  /// Appends a line. A failure does not stop the recording.
  func append(_ line: String, in directory: borrowing Directory, named part: String) {
    exists.store(true, ordering: .relaxed)
    let file = try? directory.open(
      part + ".jsonl", [.readWrite, .create, .append, .noFollow, .nonBlocking])
    if let file { try? file.append(line: line) }
  }

  func remove(from directory: borrowing Directory, named part: String) {
    if exists.load(ordering: .relaxed) { try? directory.remove(part + ".jsonl") }
  }
}
