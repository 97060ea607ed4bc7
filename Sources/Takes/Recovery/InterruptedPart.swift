internal import Audio
internal import Control
internal import Files
package import Linux
package import Store

/// The part of a take whose session may be dead, with the session's record.
package struct InterruptedPart: Sendable {
  /// The directory of the part.
  package let directory: String
  let name: PartName
  /// The session's record, or nil if it is lost or belongs to another user.
  package let record: SessionRecord?
  /// The path at which the session wrote the part, or nil if the part was not moved.
  private let former: String?

  /// The part at a path; nil if the name is not that of a part.
  package init?(path: String, record: SessionRecord?) {
    let (directory, text) = PartFile.split(path)
    guard let name = PartName(text) else { return nil }
    self.directory = directory
    self.name = name
    self.record = record
    former = nil
  }

  /// A part that was moved from the path `former`; nil if the name in `former` is not that of a
  /// part.
  init?(path: String, movedFrom former: String, record: SessionRecord) {
    let (directory, text) = PartFile.split(path)
    guard let hidden = PartName(PartFile.split(former).name) else { return nil }
    self.directory = directory
    name = PartName(moved: text, from: hidden)
    self.record = record
    self.former = former
  }

  /// The path of the part.
  package var path: String { directory.path(of: name.text) }

  /// The name of the final file. The record has it only for the last file of a take.
  package var target: String {
    let hidden = former.map { PartFile.split($0).name } ?? name.text
    guard let record, let path = record.path,
      record.part.map({ PartFile.split($0).name.isSameName(as: hidden) }) == true
    else { return name.target }
    return PartFile.split(path).name
  }

  /// The possible paths of the journal, the most likely first. A moved part may have been moved
  /// with its journal or without it.
  var journals: [(directory: String, name: String)] {
    let own = [(directory: directory, name: name.journal)]
    guard let former else { return own }
    let (parent, hidden) = PartFile.split(former)
    // If a part has the hidden name in a directory, the journal there belongs to that part.
    let free = [directory, parent].filter { directory in
      (try? FileStatus(of: directory.path(of: hidden), following: false)) == nil
    }
    return own + free.map { (directory: $0, name: hidden + ".jsonl") }
  }

  /// The facts from outside the file that help to read it.
  var clue: PartClue {
    PartClue(
      format: record?.output?.format, stream: record?.file, named: TakeName.format(of: target))
  }
}

/// A part that is open and locked.
struct OpenPart {
  let part: InterruptedPart
  /// The file, open for writing in this process.
  let file: CheckedFile
  let status: FileStatus
  /// The file, open for reading in a child process, which cannot write through it.
  let unread: UnreadPart

  /// Takes ownership of a descriptor that holds the lock.
  init(
    _ part: InterruptedPart, _ file: consuming Descriptor, _ status: FileStatus,
    in directory: borrowing Directory
  ) throws {
    let copy = try directory.open(part.name.text, [.noFollow, .nonBlocking])
    let found = try copy.status()
    // Another process may have replaced the file meanwhile.
    guard found.isSameFile(as: status) else {
      throw SystemError("open", part.path, errno: .noSuchFile)
    }
    self.file = try CheckedFile(file, named: part.path)
    self.part = part
    self.status = status
    unread = UnreadPart(file: OpenFile(copy), clue: part.clue)
  }

  /// The result if the record and the size suffice to determine it, or nil if the file must be
  /// read.
  var known: PartReading? {
    if file.end == 0 { return .empty }
    guard unread.clue.format == .raw, let stream = unread.clue.stream else { return nil }
    return RepairPlan(raw: stream, bytes: file.end).map(PartReading.plan) ?? .empty
  }
}

/// Finds the parts of dead sessions.
package struct PartSearch {
  private let store: MachineStore

  /// A search in the records of a store.
  package init(store: MachineStore) { self.store = store }

  /// The parts in the records of this user, in all directories.
  package var all: [InterruptedPart] {
    let known = store.deadSessions.interrupted.flatMap { record in
      record.left.compactMap { InterruptedPart(path: $0, record: record) }
    }
    let dead = store.sessions.records.filter { $0.part == nil && !isLive($0) }
    var seen: Set<Path> = []
    // If a session dies while it sets another session's record aside, that record exists twice.
    return (known + dead.flatMap(starts)).filter { seen.insert(Path($0.path)).inserted }
  }

  /// Returns the header-only parts of a session that died before its record named a part.
  func starts(of record: SessionRecord) -> [InterruptedPart] {
    guard let path = record.path else { return [] }
    let (directory, name) = PartFile.split(path)
    let numbering = NumberedName(name)
    let names = (try? Directory(directory).names()) ?? []
    return names.filter { PartName($0) != nil && numbering.number(of: $0) != nil }.sorted()
      .compactMap { part(in: directory, $0) }.filter { $0.record == nil && isHeader($0.path) }
  }

  private static let largestHeader: Int64 = 1 << 12

  private func isHeader(_ path: String) -> Bool {
    guard let status = try? FileStatus(of: path, following: false) else { return false }
    return status.kind == .regular && status.size < Self.largestHeader
      && status.owner == Environment.effectiveUser
  }

  private func isLive(_ record: SessionRecord) -> Bool {
    SessionName(record.name).map(store.sessions.isLive) ?? true
  }

  /// Returns the parts for a path: that of a part, that of the final file, or that of a directory
  /// with parts.
  package func parts(at path: String) throws(SystemError) -> [InterruptedPart] {
    let (parent, name) = PartFile.split(path)
    if (try? FileStatus(of: path))?.kind == .directory {
      let names = try Directory(path).names().filter { PartName($0) != nil }
      return names.sorted().compactMap { part(in: path, $0) }
    }
    if let moved = moved(at: path) { return [moved] }
    if PartName(name) != nil { return [part(in: parent, name)].compactMap(\.self) }
    return parts(of: name, in: parent)
  }

  /// Returns the part that was moved to a path, or nil if the file there is not a moved part or has
  /// a record of its own.
  private func moved(at path: String) -> InterruptedPart? {
    guard let status = try? FileStatus(of: path, following: false), status.kind == .regular,
      store.deadSessions.record(ofPart: status, named: path.pathParts.name) == nil,
      let record = store.deadSessions.record(ofMovedPart: status, at: path),
      let part = record.part(status)
    else { return nil }
    return InterruptedPart(path: path, movedFrom: part.path, record: record)
  }

  /// Returns the parts of the file `target`.
  func parts(of target: String, in directory: String) -> [InterruptedPart] {
    (1...PartName.most).compactMap { part(in: directory, PartName(of: target, $0).text) }
  }

  private func part(in directory: String, _ name: String) -> InterruptedPart? {
    let path = directory.path(of: name)
    guard let status = try? FileStatus(of: path, following: false) else { return nil }
    return InterruptedPart(
      path: path, record: store.deadSessions.record(ofPart: status, named: name))
  }
}
