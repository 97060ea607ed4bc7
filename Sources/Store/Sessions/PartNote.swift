package import Control
package import JSON
package import Linux

/// The parts of a recording by the numbers of their files, which stay when a directory above them is
/// renamed.
///
/// It is a file of its own beside the record, because a former release accepts no other key there.
package struct PartNote: Hashable, Sendable {
  /// The number of a file or a directory, which no other has on this machine.
  package struct Number: Hashable, Sendable {
    fileprivate var device: UInt64
    fileprivate var inode: UInt64

    /// The number of the file with this status.
    package init(_ status: FileStatus) {
      device = status.device
      inode = status.inode
    }
  }

  /// A part, and the directory that it lies in.
  package struct Part: Hashable, Sendable {
    fileprivate var file: Number
    fileprivate var directory: Number
    /// Its place in the take.
    package var place: PlaceInTake

    /// A part by its numbers and its place in the take.
    package init(file: Number, directory: Number, _ place: PlaceInTake = PlaceInTake()) {
      self.file = file
      self.directory = directory
      self.place = place
    }
  }

  /// The place of a file in a take that has several.
  package struct PlaceInTake: Hashable, Sendable {
    /// The number of the file, 1 for the first; nil where the take has one file.
    package var segment: Int?
    /// The moment since 1970 of its first frame; nil for the beginning of the take.
    package var began: Duration?

    /// The only file of a take, unless the place is given.
    package init(segment: Int? = nil, began: Duration? = nil) {
      self.segment = segment
      self.began = began
    }
  }

  fileprivate var identifier: String
  /// The parts, the latest last.
  fileprivate var parts: [Part]
}

extension PartNote: JSONConvertible {
  /// Reads what `json` wrote; nil without an identifier or with a wrong part.
  package init?(json: JSONValue) {
    guard let identifier = json["id"]?.string, let parts = json["parts"].flatMap([Part].init(json:))
    else { return nil }
    self.init(identifier: identifier, parts: parts)
  }

  /// The object of the note, with its schema.
  package var json: JSONValue { ["schema": 1, "id": identifier.json, "parts": parts.json] }
}

extension PartNote.Part: JSONConvertible {
  /// Reads what `json` wrote; nil where a number is missing.
  package init?(json: JSONValue) {
    guard let file = json["file"].flatMap(PartNote.Number.init(json:)),
      let directory = json["directory"].flatMap(PartNote.Number.init(json:))
    else { return nil }
    self.init(file: file, directory: directory)
    place.segment = json["segment"]?.integer(in: .ordinals)
    place.began = json["began"].flatMap { Duration(moment: $0) }
  }

  /// The object of one part.
  package var json: JSONValue {
    var members: JSONObject = ["file": file.json, "directory": directory.json]
    members.set("segment", place.segment)
    members.set("began", place.began?.moment)
    return .object(members)
  }
}

extension PartNote.Number: JSONConvertible {
  /// Reads the pair of the device and the inode; nil for any other array.
  package init?(json: JSONValue) {
    guard let numbers = [UInt64](json: json), numbers.count == 2 else { return nil }
    (device, inode) = (numbers[0], numbers[1])
  }

  /// The array of the device and the inode.
  package var json: JSONValue { [device, inode].json }
}

/// Parts whose directory was renamed while they were recorded.
///
/// A live session writes their new paths to its record within a second. Those of one that died
/// before are found by their numbers.
extension SessionStore {
  private static var largestNote: Int { 1 << 16 }
  /// The age after which a recording that was not found is no longer reported.
  private static var longestLost: Duration { .seconds(30 * 86_400) }

  /// Writes the note with the numbers of the files that the session of a name writes.
  ///
  /// Not synchronized to the disk, and lost if it is cut off: it only helps to find them.
  package func note(
    _ parts: [PartNote.Part], of identifier: String, as name: SessionName
  ) throws(DirectoryRefusal) {
    let note = PartNote(identifier: identifier, parts: parts)
    try leave(note, as: SessionPaths.parts(of: name), in: paths.sessions)
  }

  /// Keeps the numbers of a record's parts while the record is set aside.
  func keepNote(of record: SessionRecord) {
    guard let note = note(of: record), let name = SessionPaths.parts(of: record) else { return }
    try? leave(note, as: name, in: paths.interrupted)
  }

  /// The record of a part, by its inode and its name: any path may lead to it.
  package func record(ofPart status: FileStatus, named name: String) -> SessionRecord? {
    let stores = [self] + others
    let known = stores.lazy.flatMap { $0.records + $0.setAside }
    return known.first { $0.leads(to: status) }
      ?? stores.lazy.compactMap { $0.renamed(status, name) }.first
  }

  /// The place of a part in the take of its record, as the session noted it; nil where that is lost.
  package func place(
    ofPart status: FileStatus, in record: SessionRecord
  ) -> PartNote.PlaceInTake? {
    note(of: record)?.parts.first { $0.file == PartNote.Number(status) }?.place
  }

  /// The record of a part whose directory was renamed, by its number and its own name.
  private func renamed(_ status: FileStatus, _ name: String) -> SessionRecord? {
    (records + allAside).first { record in
      let names = (record.closing + [record.part].compactMap(\.self)).map(\.pathParts.name)
      guard names.contains(where: { $0.isSameName(as: name) }) else { return false }
      return note(of: record)?.parts.contains { $0.file == PartNote.Number(status) } ?? false
    }
  }

  /// The dead recordings whose parts are not at their paths: their directories were renamed or
  /// removed.
  package var lost: [SessionRecord] {
    let dead = records.filter { record in
      SessionName(record.name).map { !isLive($0) } ?? false
    }
    return (dead + allAside).filter(isLost)
  }

  func isLost(_ record: SessionRecord) -> Bool {
    guard let part = record.part, !record.isLeft, !isElsewhere(record),
      let last = note(of: record)?.parts.last,
      KernelClock.realTime.now - record.began < Self.longestLost
    else { return false }
    let directory = try? FileStatus(of: part.pathParts.directory)
    // The directory is unchanged, so the part was removed or saved.
    if directory.map(PartNote.Number.init) == last.directory { return false }
    let saved = [record.path].compactMap(\.self) + takes(of: record).compactMap(\.path)
    return !saved.contains { path in
      (try? FileStatus(of: path, following: false)).map(PartNote.Number.init) == last.file
    }
  }

  private func takes(of record: SessionRecord) -> [RecordingResult] {
    takes.filter { $0.identifier == record.identifier }
  }

  private func note(of record: SessionRecord) -> PartNote? {
    let names: [(String?, String)] = [
      (SessionName(record.name).map(SessionPaths.parts), paths.sessions),
      (SessionPaths.parts(of: record), paths.interrupted),
    ]
    return names.lazy.compactMap { name, path in
      let note: PartNote? = name.flatMap { read($0, in: path, upTo: Self.largestNote) }
      return note?.identifier == record.identifier ? note : nil
    }.first
  }

  private func leave(
    _ note: PartNote, as name: String, in path: String
  ) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: path)
    do {
      let file = try directory.open(name, [.writeOnly, .create, .truncate, .noFollow])
      try file.writeAll(Array((note.json.encoded() + "\n").utf8).span)
    } catch {
      throw DirectoryRefusal(path, .system(error))
    }
  }
}

extension SessionRecord {
  /// True if one of its paths leads to that file.
  fileprivate func leads(to status: FileStatus) -> Bool {
    parts.contains { part in
      (try? FileStatus(of: part, following: false))?.isSameFile(as: status) == true
    }
  }
}
