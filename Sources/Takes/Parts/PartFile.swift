package import Control
internal import Files
package import Linux
internal import Store
internal import Synchronization

/// The file of a take while it is recorded: hidden, private, locked, beside the one that it
/// becomes.
package final class PartFile: Sendable {
  /// The outcome of giving the file its name.
  struct Published {
    /// The name that the file has.
    var name: String
    /// The reason why the name may not survive a power cut; nil where it does.
    var doubt: SystemError?
  }

  /// The directory of the part and of its final name.
  package let directory: Directory
  /// The name that the file is going to have.
  package let name: String
  /// The hidden name that it has until then.
  package let part: String
  /// The open file, until a writer takes it.
  let file: Handoff<Descriptor>
  private let numbering: NumberedName
  private let number: Int
  private let place: RecordedPart.PlaceInTake
  private let journal: Journal
  /// The file itself, whatever has its name later.
  private let identity: FileStatus
  /// The lock that marks a live recording; nil where the filesystem has no locks.
  private let lock: FileLock?

  fileprivate init(
    _ directory: consuming Directory, _ file: consuming Descriptor, _ lock: consuming FileLock?,
    _ numbering: NumberedName, _ number: Int, part: String, identity: FileStatus,
    _ place: RecordedPart.PlaceInTake
  ) {
    self.place = place
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
  /// The path that the file is going to have, even after its directory was renamed.
  package var path: String { directory.presentPath(of: name) }
  /// The present path of the part, even after its directory was renamed.
  package var partPath: String { directory.presentPath(of: part) }

  /// The part as the record of its session has it.
  var recorded: RecordedPart {
    RecordedPart(
      path: partPath, file: RecordedPart.Number(identity),
      directory: (try? directory.descriptor.status()).map(RecordedPart.Number.init), place)
  }

  /// The free bytes on its filesystem; nil where the system does not report them.
  package var freeBytes: Int64? { try? directory.descriptor.freeSpace() }

  /// The status of the file, or that of its beginning once another program has removed its name.
  var status: FileStatus {
    isNamed ? (try? directory.status(of: part)) ?? identity : identity
  }

  /// False once another program has removed its name, or given that to another file.
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

  /// Synchronizes the directory: without that a power cut may remove the part's name, and with it
  /// the take.
  func keepPart() { try? directory.synchronize() }

  /// Appends an event of the take to the journal, so that it survives a crash.
  func note(_ line: String) { journal.append(line, in: directory, named: part) }

  /// Gives the file its name, or another one where that is in use by now.
  ///
  /// After a throw the file still has its hidden name.
  ///
  /// - Parameters:
  ///   - file: the same file, which is copied where it has no name any more.
  ///   - isReplacing: true to replace a file that has the name.
  func publish(
    _ file: CheckedFile, replacing isReplacing: Bool
  ) throws(SystemError) -> Published {
    var published = Published(name: try publishedName(file, replacing: isReplacing))
    do throws(SystemError) {
      try directory.synchronize()
    } catch {
      published.doubt = error
    }
    return published
  }

  /// Removes the journal, once the sidecar and the marks hold its events.
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

/// Makes the part of a take, so that no two takes are aimed at one file.
package struct PartFileMaker {
  let plan: RecordingPlan
  /// The store, to find the recording that writes a file.
  let store: SessionStore

  /// Makes the directory if it is missing; throws for a name in use.
  package static func directory(for plan: OutputPlan) throws(TakeError) -> Directory? {
    guard let path = plan.path else { return nil }
    let (parent, name) = PartFile.split(path)
    let directory = try open(parent, for: path)
    if plan.split == nil, let status = try? directory.status(of: name),
      let taken = TakenName(status, replacing: plan.replaces)
    {
      throw .output(path, .taken(taken))
    }
    return directory
  }

  static func open(_ parent: String, for path: String) throws(TakeError) -> Directory {
    do throws(SystemError) {
      try Directory.makeAll(parent)
      return try Directory(resolving: parent)
    } catch {
      throw .output(path, .directory(error.errno))
    }
  }

  /// Makes the part of the file `number` of those with this name; parts of dead sessions stay.
  func make(
    in directory: consuming Directory, _ name: String, number: Int = 1,
    at place: RecordedPart.PlaceInTake = RecordedPart.PlaceInTake()
  ) throws(TakeError) -> PartFile {
    // Without the lock, two starts at once would not see each other; a directory without locks has
    // that risk.
    let turn = try? FileLock(on: directory, waitingUpTo: .seconds(1))
    let part = try makeAlone(in: directory, name, number, place)
    _ = consume turn
    return part
  }

  private func makeAlone(
    in directory: consuming Directory, _ name: String, _ number: Int,
    _ place: RecordedPart.PlaceInTake
  ) throws(TakeError) -> PartFile {
    let numbering = NumberedName(name)
    let target = numbering.name(number)
    guard target.utf8.count <= PartName.longestTarget else {
      throw .output(
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
        // A journal without its part belongs to another take.
        try? directory.remove(part + ".jsonl")
        return PartFile(
          directory, file, lock, numbering, number, part: part, identity: identity, place)
      } catch {
        guard error.errno == .exists, attempt < PartName.most else {
          throw .output(directory.path(of: target), .directory(error.errno))
        }
        attempt += 1
      }
    }
  }

  /// Throws where a live session records to that file.
  private func refuseLive(_ target: String, in directory: borrowing Directory) throws(TakeError) {
    let part = ".\(target).part"
    let holder = holder(of: part, in: directory)
    let isHeld = (try? FileLock.isHeld(part, in: directory)) ?? false
    guard holder != nil || isHeld else { return }
    throw .output(
      directory.path(of: target),
      .inUse(by: holder?.name, on: holder.flatMap(store.distantHost)))
  }

  /// The live recording that writes to that file, under any part's name; one of this session's name
  /// is dead.
  private func holder(of part: String, in directory: borrowing Directory) -> SessionRecord? {
    guard let here = try? directory.descriptor.status() else { return nil }
    let distant = store.distant.map(\.record)
    return (store.records + distant).first { record in
      let isDistant = distant.contains { $0.identifier == record.identifier }
      guard record.name != plan.name || isDistant, let path = record.path,
        let written = record.part,
        ".\(PartFile.split(path).name).part" == part,
        let there = try? FileStatus(of: PartFile.split(written).directory),
        (there.device, there.inode) == (here.device, here.inode), record.isLeft
      else { return false }
      return isDistant || SessionName(record.name).map(store.isLive) ?? false
    }
  }
}

/// The events of a take, each appended when it happens to a file beside the part; its first line
/// makes the file.
private final class Journal: Sendable {
  private let exists = Atomic<Bool>(false)

  /// Adds a line; a journal that cannot be written stops no recording.
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
