internal import Audio
package import Control
package import JSON
package import Linux

/// A complete file that is about to get its final name, with the facts for the catalogue.
package struct TakeAnnouncement: Hashable, Sendable {
  /// The result, with the intended path. The file may get another path.
  package var result: RecordingResult
  /// The hidden path of the file until it gets its final name.
  package var part: String
  /// The device and the inode of the file, which identify it under any name.
  let file: RecordedPart.Number
  /// The content of the sidecar, or nil if none will be written.
  package var sidecar: JSONObject?
  /// The files of further tracks, which get their final names after this file.
  package var others: [TrackPart]

  /// Creates an announcement of the file that `status` describes.
  package init(
    _ result: RecordingResult, in part: String, _ status: FileStatus, sidecar: JSONObject? = nil,
    _ others: [TrackPart] = []
  ) {
    self.result = result
    self.part = part
    file = RecordedPart.Number(status)
    self.sidecar = sidecar
    self.others = others
  }
}

extension TakeAnnouncement: JSONConvertible {
  /// Reads the output of `json`. Returns nil if the result, the part or the file is missing.
  package init?(json: JSONValue) {
    guard let result = json["result"].flatMap(RecordingResult.init(json:)),
      let part = json["part"]?.string, let file = json["file"].flatMap(RecordedPart.Number.init)
    else { return nil }
    self.result = result
    self.part = part
    self.file = file
    sidecar = json["sidecar"]?.object
    others = json["others"].flatMap([TrackPart].init(json:)) ?? []
  }

  /// The content of the announcement's file.
  package var json: JSONValue {
    var members: JSONObject = ["result": result.json, "part": part.json, "file": file.json]
    members.set("sidecar", sidecar)
    if !others.isEmpty { members["others"] = others.json }
    return .object(members)
  }
}

/// The announcements of one machine.
///
/// A session can die after it renames a file and before it adds the line to the catalogue. The part
/// then no longer exists, and only the announcement shows that the take was saved.
package struct Announcements: Sendable {
  fileprivate let store: MachineStore
  private var path: String { store.paths.ending }

  // Enough for a sidecar with every event of a long take.
  private static let largest = 1 << 28
}

extension MachineStore {
  /// The announced files of this machine.
  package var announcements: Announcements { Announcements(store: self) }
}

extension Announcements {
  /// Writes the announcement of a file before the file gets its final name. If the file has a
  /// delivery, also adds the file to the spool.
  ///
  /// The announcement of a single file without a delivery is not synchronized to the disk, because
  /// the catalogue is not synchronized either. This announcement protects only against the death of
  /// the process. The announcement of several files is synchronized, because after a power cut some
  /// of these files may still have their hidden names.
  ///
  /// The lock of the directory prevents other commands from reading an incomplete announcement.
  package func add(
    _ announcement: TakeAnnouncement, _ status: FileStatus
  ) throws(DirectoryRefusal) {
    var result = announcement.result
    try store.sessions.usingRoom(of: result.name) { () throws(DirectoryRefusal) in
      let directory = try PrivateDirectory.make(at: path)
      try DirectoryRefusal.of(path) { () throws(SystemError) in
        let turn = try? FileLock(on: directory, waitingUpTo: .seconds(1))
        let file = try directory.open(
          Self.name(of: result), [.writeOnly, .create, .truncate, .noFollow])
        do throws(SystemError) {
          try file.writeAll(Directory.line(announcement).span)
        } catch {
          try? directory.remove(Self.name(of: result))
          throw error
        }
        _ = consume turn
        guard result.delivery != nil || !announcement.others.isEmpty else { return }
        try file.synchronize()
        try directory.synchronize()
      }
      guard let delivery = result.delivery else { return }
      // The entry in the spool contains the path that the sidecar will have.
      if announcement.sidecar != nil { result.sidecar = result.path.map { $0 + ".json" } }
      try store.spool(of: delivery.series).enter(result, status)
    }
  }

  /// Adds the announced files of dead sessions to the catalogue. Returns the paths of announcements
  /// that cannot be read. These announcements are kept, because their files may be missing in the
  /// catalogue.
  ///
  /// - Parameter held: a name whose lock the caller holds. For this name, a held lock does not mean
  ///   that a session is alive.
  @discardableResult
  package func addTakes(holding held: SessionName? = nil) -> [String] {
    guard let directory = try? PrivateDirectory.open(path),
      let names = try? directory.names(), names.contains(where: { isOver($0, held) }),
      let turn = try? FileLock(on: directory, waitingUpTo: .seconds(1))
    else { return [] }
    var unreadable: [String] = []
    for name in names where isOver(name, held) {
      if let announcement: TakeAnnouncement = directory.value(of: name, upTo: Self.largest) {
        if addTake(of: announcement) { try? directory.remove(name) }
      } else if (try? directory.status(of: name)) != nil {
        unreadable.append(directory.path(of: name))
      }
    }
    _ = consume turn
    return unreadable
  }

  /// Adds an announced file to the catalogue. Does nothing if another command has already found the
  /// announcement and added the file. Throws if another command is still adding files after the
  /// limit. In this case, a later command adds the file.
  package func addTake(
    _ result: RecordingResult, waitingUpTo limit: Duration = .seconds(5)
  ) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: path)
    let turn = try lock(directory, waitingUpTo: limit)
    // Without an announcement, either another command has added the file, or the announcement could
    // not be written. The catalogue shows which is the case.
    let isAnnounced = (try? directory.status(of: Self.name(of: result))) != nil
    if isAnnounced || !store.catalogue.contains(result) { try store.catalogue.add(result) }
    _ = consume turn
  }

  /// Takes the lock for adding files. Returns nil on a filesystem without locks.
  private func lock(
    _ directory: borrowing Directory, waitingUpTo limit: Duration
  ) throws(DirectoryRefusal) -> FileLock? {
    do throws(SystemError) {
      return try FileLock(on: directory, waitingUpTo: limit)
    } catch {
      if error.errno == .timedOut { throw DirectoryRefusal(path, .system(error)) }
      return nil
    }
  }

  /// Returns the announced result of the file with this status, whose hidden name is still `part`.
  /// Returns nil if the file was not announced.
  package func result(ofPart part: String, _ status: FileStatus) -> RecordingResult? {
    guard let directory = try? PrivateDirectory.open(path), let names = try? directory.names()
    else { return nil }
    for name in names {
      let announcement: TakeAnnouncement? = directory.value(of: name, upTo: Self.largest)
      if let announcement, announcement.file == RecordedPart.Number(status),
        announcement.part.pathParts.name.isSameName(as: part)
      {
        return announcement.result
      }
    }
    return nil
  }

  func withdraw(_ result: RecordingResult) { store.remove(Self.name(of: result), in: path) }

  /// Returns the path of a sidecar that could not be written, for example because the disk was
  /// full. A later command writes this sidecar from the announcement. Returns nil if no sidecar is
  /// missing, or if the result reports no failure.
  func awaitedSidecar(of result: RecordingResult) -> String? {
    guard result.message != nil, let path = result.path, result.sidecar == nil,
      let directory = try? PrivateDirectory.open(self.path),
      let announcement: TakeAnnouncement = directory.value(
        of: Self.name(of: result), upTo: Self.largest),
      announcement.sidecar != nil, (try? FileStatus(of: path + ".json", following: false)) == nil
    else { return nil }
    return path + ".json"
  }

  /// Returns the name of the announcement's file. The session can be identified by this name even
  /// if the content of the file is incomplete.
  private static func name(of result: RecordingResult) -> String {
    "\(result.name).\(result.identifier).\(result.segment ?? 1).json"
  }

  /// Returns true if the session that announced a file is dead.
  private func isOver(_ announcement: String, _ held: SessionName?) -> Bool {
    let fields = announcement.split(separator: ".", omittingEmptySubsequences: false)
    guard fields.count > 3, fields.last == "json",
      let name = SessionName(fields.dropLast(3).joined(separator: "."))
    else { return false }
    if held == name || !store.sessions.isLive(name) { return true }
    return store.sessions.record(of: name)?.identifier != String(fields[fields.count - 3])
  }
}

extension Announcements {
  /// Adds the announced file to the catalogue. Returns true if the announcement is not needed any
  /// more, or false if a later command must try again.
  private func addTake(of announcement: TakeAnnouncement) -> Bool {
    let (parent, part) = announcement.part.pathParts
    // An empty directory may be the mount point of a disk that is not mounted.
    guard let directory = try? Directory(parent), (try? directory.names().isEmpty) == false else {
      return false
    }
    // The hidden name is checked before the final name, because a recovery may rename the file at
    // any moment.
    let isUnnamed = (try? directory.status(of: part))?.inode == announcement.file.inode
    guard let name = name(of: announcement, in: directory, but: part) else {
      // While a record contains this part, the part's journal is kept: the part may have been moved
      // to another directory, and can be recovered there with its marks.
      if !isUnnamed, !store.deadSessions.haveRecord(ofPart: announcement.part) {
        removeJournal(of: part, in: directory)
      }
      return !isUnnamed
    }
    // If the file was renamed by a hard link, both names may exist.
    if (try? directory.status(of: part))?.inode == announcement.file.inode {
      try? directory.remove(part)
    }
    var result = announcement.result
    result.path = directory.path(of: name)
    for other in announcement.others { other.publish(in: directory, &result.tracks) }
    complete(&result, announcement, name + ".json", in: directory)
    let isComplete = announcement.sidecar == nil || result.sidecar != nil
    // Until the sidecar is written, only this journal contains the events.
    if isComplete { removeJournal(of: part, in: directory) }
    guard !store.catalogue.contains(result), !isListed(announcement) else {
      if let delivery = result.delivery {
        try? store.spool(of: delivery.series).complete(result)
      }
      return isComplete
    }
    let awaited = isComplete ? nil : directory.path(of: name + ".json")
    return (try? store.catalogue.add(result, awaiting: awaited)) != nil && isComplete
  }

  /// Returns true if the catalogue has the announced file, possibly with an earlier path. Two files
  /// of a take can have the same segment number, so the inodes are compared too.
  private func isListed(_ announcement: TakeAnnouncement) -> Bool {
    store.catalogue.listedTakes.contains {
      $0.row.key == TakeKey(announcement.result) && $0.row.trace?.inode == announcement.file.inode
    }
  }

  /// Removes the journal of a part, unless a new take has a part with the same name.
  private func removeJournal(of part: String, in directory: borrowing Directory) {
    if (try? directory.status(of: part)) == nil { try? directory.remove(part + ".jsonl") }
  }

  /// Returns the final name of the announced file, or nil if the directory has the file only under
  /// its hidden name `part`, or not at all.
  private func name(
    of announcement: TakeAnnouncement, in directory: borrowing Directory, but part: String
  ) -> String? {
    let meant = announcement.result.path?.pathParts.name
    var candidates = meant.map { [$0] } ?? []
    for attempt in 0..<2 {
      for name in candidates where !name.isSameName(as: part) {
        guard let status = try? directory.status(of: name),
          status.inode == announcement.file.inode
        else { continue }
        // After a restart, the disk may have another device number. The size is then compared
        // instead.
        let isSame = RecordedPart.Number(status) == announcement.file
        if isSame || status.size == announcement.result.fileBytes { return name }
      }
      if attempt == 0 { candidates = (try? directory.names()) ?? [] }
    }
    return nil
  }

  /// Writes the missing sidecar next to the file, and adds its path to the result. If writing
  /// fails, the result has no sidecar.
  private func complete(
    _ result: inout RecordingResult, _ announcement: TakeAnnouncement, _ name: String,
    in directory: borrowing Directory
  ) {
    try? AtomicFile.removeLeftovers(of: name, in: directory)
    guard var sidecar = announcement.sidecar else { return }
    sidecar.set("path", result.path)
    if !result.tracks.files.isEmpty { sidecar["tracks"] = result.tracks.json }
    if (try? directory.status(of: name)) == nil {
      let text = Array((JSONValue.object(sidecar).encoded(indented: true) + "\n").utf8)
      guard (try? AtomicFile.write(text.span, to: name, in: directory)) != nil else { return }
    }
    result.sidecar = directory.path(of: name)
  }
}
