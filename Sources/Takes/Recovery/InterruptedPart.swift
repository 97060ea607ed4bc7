internal import Audio
internal import Control
internal import Files
package import Linux
internal import Recording
package import Store

/// A part whose session may be dead, with the session's record if there is one.
package struct InterruptedPart: Sendable {
  /// The directory of the part.
  package let directory: String
  let name: PartName
  /// The session's record, or nil if it is lost or belongs to another user.
  package let record: SessionRecord?
  /// The path at which the session wrote the part. It differs from `path` if the part was moved or
  /// renamed.
  private let former: String
  private static let largestJournal = 1 << 26

  /// The part at `path`, or nil if the name in `former` is not the name of a part.
  ///
  /// - Parameter former: the path at which the session wrote the part, or nil for `path`.
  package init?(path: String, record: SessionRecord?, movedFrom former: String? = nil) {
    let (directory, text) = path.pathParts
    self.former = former ?? path
    guard let hidden = PartName(self.former.pathParts.name) else { return nil }
    self.directory = directory
    name = PartName(moved: text, from: hidden)
    self.record = record
  }

  /// The path of the part.
  package var path: String { directory.path(of: name.text) }

  /// The name of the final file. The record contains this name only for the last part of a take.
  /// For an earlier part, the name is derived from the hidden name.
  package var target: String {
    guard let record, let path = record.path,
      record.part.map({ $0.pathParts.name.isSameName(as: former.pathParts.name) }) == true
    else { return name.target }
    return path.pathParts.name
  }

  /// The possible paths of the journal, the most likely first. The part may have been moved with
  /// its journal or without it.
  var journals: [(directory: String, name: String)] {
    let (parent, hidden) = former.pathParts
    // Leave out a directory that has a file with the former hidden name, because the journal there
    // belongs to that file.
    let free = [directory, parent].filter { directory in
      (try? FileStatus(of: directory.path(of: hidden), following: false)) == nil
    }
    return [(directory: directory, name: name.journal)]
      + free.map { (directory: $0, name: hidden + ".jsonl") }
  }

  /// Reads the events in the journal. Events after the frame `last` are moved to `last`.
  func events(upTo last: FrameCount) -> [PositionedEvent] {
    let found = journals.lazy.compactMap { Self.journal($0.name, in: $0.directory) }
    return PositionedEvent.events(inJournal: found.first ?? [], upTo: last)
  }

  private static func journal(_ name: String, in directory: String) -> [UInt8]? {
    guard let file = try? Directory(directory).open(name, [.noFollow, .nonBlocking]),
      (try? file.status())?.kind == .regular
    else { return nil }
    return try? file.readAll(upTo: largestJournal)
  }

  /// Removes the journal.
  func removeJournal() {
    for journal in journals { try? Directory(journal.directory).remove(journal.name) }
  }

  /// Returns the facts from the record and the file name that help to read the file.
  ///
  /// - Parameter track: the track in the file, or nil if the file has all tracks.
  fileprivate func clue(for track: Track? = nil) -> PartClue {
    var stream = record?.file
    if let count = track?.channels.flatMap({ ChannelCount($0.count) }), let whole = stream {
      stream = StreamFormat(rate: whole.rate, channels: count, sample: whole.sample)
    }
    return PartClue(
      format: record?.output?.format, stream: stream, named: TakeName.format(of: target))
  }

  /// The tracks that have their own files, or none if the part is one file.
  var fileTracks: [Track] {
    guard let record, record.output?.tracks.isEmpty == false else { return [] }
    return record.tracks
  }

  /// The name that the first track gets if there is no record: the last word of the file name,
  /// except for numbers. If that word cannot be the name of a track, the name is `track`.
  fileprivate var likelyTrack: String {
    let words = target.nameParts.stem.split(separator: "-").map(String.init)
    let word = words.last { Int($0) == nil } ?? ""
    return Track.isName(word) ? word : "track"
  }

  /// Returns the further tracks whose files are in a directory, with the hidden names of the files.
  /// These names are based on the current name of the part, or on its former name.
  fileprivate func others(in directory: borrowing Directory) -> [(track: String, name: String)] {
    let hidden = [name.text, former.pathParts.name]
    let names = (try? directory.names()) ?? []
    if record != nil {
      return fileTracks.dropFirst().compactMap { track in
        let known = hidden.map { TrackPart.name(of: track.name ?? "", beside: $0) }
        let name = known.first { known in names.contains { $0.isSameName(as: known) } }
        return name.map { (track: track.name ?? "", name: $0) }
      }
    }
    let prefix = TrackPart.name(of: "", beside: name.text)
    return names.filter { $0.begins(with: prefix) }.sorted().compactMap { name in
      let track = name.trimmingBytes(first: prefix.utf8.count)
      return Track.isName(track) ? (track: track, name: name) : nil
    }
  }
}

/// An open file of a part.
struct OpenPartFile {
  /// The hidden name.
  let name: String
  /// The track, or nil if the file has all tracks.
  let track: String?
  /// The file, open for writing in this process.
  let file: CheckedFile
  let status: FileStatus
  /// The same file, open only for reading. The part reader gets this descriptor.
  var unread: UnreadPart

  /// Takes ownership of a descriptor.
  fileprivate init(
    _ name: String, _ track: String?, _ clue: PartClue, _ file: consuming Descriptor,
    _ status: FileStatus, in directory: borrowing Directory
  ) throws {
    let copy = try directory.open(name, [.noFollow, .nonBlocking])
    let found = try copy.status()
    // Another process may have replaced the file meanwhile.
    guard found.isSameFile(as: status) else {
      throw SystemError("open", name, errno: .noSuchFile)
    }
    self.file = try CheckedFile(file, named: directory.path(of: name))
    self.name = name
    self.track = track
    self.status = status
    unread = UnreadPart(file: OpenFile(copy), clue: clue)
  }

  /// The result for the file if the record and the file size determine it, or nil if the file must
  /// be read.
  var known: PartReading? {
    if file.end == 0 { return .empty }
    guard unread.clue.format == .raw, let stream = unread.clue.stream else { return nil }
    let plan = RepairPlan(raw: stream, bytes: file.end)?.shortened(to: unread.clue.most)
    return plan.map(PartReading.plan) ?? .empty
  }
}

/// A part that is open and locked.
struct OpenPart {
  let part: InterruptedPart
  /// The file of the first track or of all tracks.
  let first: OpenPartFile
  /// The files of further tracks.
  let others: [OpenPartFile]

  var files: [OpenPartFile] { [first] + others }
  var status: FileStatus { first.status }

  /// Takes ownership of a descriptor that holds the lock, and opens the files of further tracks.
  init(
    _ part: InterruptedPart, _ file: consuming Descriptor, _ status: FileStatus,
    in directory: borrowing Directory
  ) throws {
    self.part = part
    let tracks = part.fileTracks
    let names = part.others(in: directory)
    let track = tracks.first?.name ?? (names.isEmpty ? nil : part.likelyTrack)
    first = try OpenPartFile(
      part.name.text, track, part.clue(for: tracks.first), file, status, in: directory)
    var others: [OpenPartFile] = []
    for (track, name) in names {
      let file = try directory.open(name, [.readWrite, .noFollow, .nonBlocking])
      let status = try file.status()
      guard status.kind == .regular, status.owner == Environment.effectiveUser, status.links == 1
      else { continue }
      let known = tracks.first { $0.name?.isSameName(as: track) == true }
      others.append(
        try OpenPartFile(name, track, part.clue(for: known), file, status, in: directory))
    }
    self.others = others
  }
}

/// Finds the parts of dead sessions.
package struct PartSearch {
  private let store: MachineStore

  /// A search in the records of a store.
  package init(store: MachineStore) { self.store = store }

  /// The parts of this user's dead sessions, in all directories.
  package var all: [InterruptedPart] {
    let known = store.deadSessions.interrupted.flatMap { record in
      record.left.compactMap { InterruptedPart(path: $0, record: record) }
    }
    let dead = store.sessions.records.filter { $0.part == nil && !isLive($0) }
    var seen: Set<Path> = []
    // If a session dies while it moves the record of another session, that record exists twice.
    return (known + dead.flatMap(starts)).filter { seen.insert(Path($0.path)).inserted }
  }

  /// Returns the parts of a session that died before its record named them. These parts contain
  /// only a header.
  func starts(of record: SessionRecord) -> [InterruptedPart] {
    guard let path = record.path else { return [] }
    let (directory, name) = path.pathParts
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

  /// Returns the parts for a path. The path can name a part, the final file, or a directory with
  /// parts.
  package func parts(at path: String) throws(SystemError) -> [InterruptedPart] {
    let (parent, name) = path.pathParts
    if (try? FileStatus(of: path))?.kind == .directory {
      let names = try Directory(path).names().filter { PartName($0) != nil }
      return names.sorted().compactMap { part(in: path, $0) }
    }
    if let moved = moved(at: path) { return [moved] }
    if PartName(name) != nil { return [part(in: parent, name)].compactMap(\.self) }
    let parts = parts(of: name, in: parent)
    if !parts.isEmpty { return parts }
    // The path may be the final file of a further track. Only a record shows which part this file
    // belongs to.
    return (store.sessions.records + store.deadSessions.setAside)
      .filter { $0.writes(Path(path)) }.flatMap(\.left).compactMap { hidden in
        let (directory, name) = hidden.pathParts
        return part(in: directory, name)
      }
  }

  /// Returns the part that was moved to `path`, or nil if the file there is not a moved part or has
  /// a record of its own.
  private func moved(at path: String) -> InterruptedPart? {
    guard let status = try? FileStatus(of: path, following: false), status.kind == .regular,
      store.deadSessions.record(ofPart: status, named: path.pathParts.name) == nil,
      let record = store.deadSessions.record(ofMovedPart: status, at: path)
    else { return nil }
    return part(at: path, status, record)
  }

  /// Returns the parts of the file `target`.
  func parts(of target: String, in directory: String) -> [InterruptedPart] {
    (1...PartName.most).compactMap { part(in: directory, PartName(of: target, $0).text) }
  }

  private func part(in directory: String, _ name: String) -> InterruptedPart? {
    let path = directory.path(of: name)
    guard let status = try? FileStatus(of: path, following: false) else { return nil }
    return part(at: path, status, store.deadSessions.record(ofPart: status, named: name))
  }

  /// Returns the part at `path`, which the session of `record` may have written at another path.
  private func part(
    at path: String, _ status: FileStatus, _ record: SessionRecord?
  ) -> InterruptedPart? {
    InterruptedPart(path: path, record: record, movedFrom: record?.part(status)?.path)
  }
}
