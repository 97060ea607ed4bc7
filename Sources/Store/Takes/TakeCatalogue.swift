internal import Audio
package import Control
internal import JSON
package import Linux

/// The catalogue of the takes of one machine, with a line for each saved file and for each take
/// without a file. Further lists contain changes, measured levels and deletions by `--keep`.
package struct TakeCatalogue: Sendable {
  let store: MachineStore
  private var path: String { store.paths.state }
}

extension MachineStore {
  /// The saved takes of this machine.
  package var catalogue: TakeCatalogue { TakeCatalogue(store: self) }
}

extension TakeCatalogue {
  /// Opens the state directory, or returns nil if it cannot be used.
  func open() -> Directory? { try? PrivateDirectory.open(path) }

  /// Opens the catalogue, or returns nil if it cannot be read.
  fileprivate func openList() -> Descriptor? {
    guard let directory = open() else { return nil }
    return try? directory.open(SessionPaths.catalogue, [.noFollow, .nonBlocking])
  }

  /// The results of all recordings, oldest first. Lines that cannot be read are skipped.
  package var takes: [RecordingResult] { takes(after: 0) }

  /// Returns whether the catalogue has the file of a result.
  package func contains(_ result: RecordingResult) -> Bool {
    takes.contains { SavedFileKey($0) == SavedFileKey(result) }
  }

  /// The current length of the catalogue in bytes. Pass it to `takes(after:)` later to get only the
  /// takes that were added meanwhile.
  package var length: Int64 {
    guard let list = openList() else { return 0 }
    return (try? list.status())?.size ?? 0
  }

  /// Returns the takes that were added after the catalogue had this length.
  package func takes(after length: Int64) -> [RecordingResult] {
    guard let list = openList(), let bytes = try? Self.end(of: list, from: length) else {
      return []
    }
    return Self.takes(in: bytes)
  }

  /// Returns the takes in the lines of a catalogue.
  static func takes(in bytes: [UInt8]) -> [RecordingResult] {
    JSONValue.lines(of: bytes, upTo: MachineStore.largest)
      .compactMap(RecordingResult.init(json:))
  }

  /// Returns the result of the recording with this identifier, or nil if the catalogue has no such
  /// result. The result stays in the catalogue after a command has reported it. For a split
  /// recording, returns the result of the last file.
  package func result(identifiedBy identifier: String) -> RecordingResult? {
    takes.last { $0.identifier == identifier && $0.reason != .split }
  }

  // This is enough for the files of several years. Of a longer catalogue, only the end is read.
  // This end may begin with an incomplete line, which is skipped like any other invalid line.
  private static let mostBytesRead: Int64 = 1 << 28

  /// Returns the bytes of the catalogue from the offset `start`, at most the last `mostBytesRead`.
  private static func end(
    of file: borrowing Descriptor, from start: Int64
  ) throws(SystemError) -> [UInt8] {
    let first = max(start, try file.status().size - mostBytesRead)
    var bytes: [UInt8] = []
    try file.readBlocks(from: first) { block in
      bytes += unsafe block.withUnsafeBytes { unsafe Array($0) }
    }
    return bytes
  }
}

extension TakeCatalogue {
  /// Adds the result of a recording to the catalogue, in one write.
  package func add(_ result: RecordingResult) throws(DirectoryRefusal) {
    try add(result, awaiting: store.announcements.awaitedSidecar(of: result))
  }

  /// Adds the result of a recording to the catalogue. `awaited` is the path of a sidecar that a
  /// later command will write, or nil if no sidecar is missing.
  func add(_ result: RecordingResult, awaiting awaited: String?) throws(DirectoryRefusal) {
    try store.sessions.usingRoom(of: result.name) { () throws(DirectoryRefusal) in
      let directory = try PrivateDirectory.make(at: path)
      if let delivery = result.delivery { try store.spool(of: delivery.series).complete(result) }
      var listed = result
      listed.sidecar = awaited ?? result.sidecar
      var line = listed.json.object ?? [:]
      if listed.path != nil { line[FileTrace.key] = listed.files.map(FileTrace.init(of:)).json }
      try DirectoryRefusal.of(path) { () throws(SystemError) in
        _ = try directory.append(line, to: SessionPaths.catalogue)
      }
      if awaited == nil {
        store.announcements.withdraw(result)
      } else if let delivery = result.delivery {
        // The file is delivered before its sidecar is written, because the delivery may free the
        // disk space that the sidecar needs.
        try? store.spool(of: delivery.series).complete(result, isListed: true)
      }
    }
  }
}

extension TakeCatalogue {
  /// The takes of this machine and of the other machines that share the home directory, oldest
  /// first.
  package var listedTakes: [ListedTake] {
    let (rows, hosts) = rows
    return markPruned(ListedTake.list(rows, changeLog) { hosts.isEmpty ? nil : hosts[$0] })
  }

  /// The maximum number of takes that are read without an index.
  static let mostRead = 32

  /// The rows of this machine and of the other machines that share the home directory, oldest
  /// first. `hosts` has one element for each row: the machine of the row, or nil for this machine.
  /// `hosts` is empty if no other machine shares the home directory.
  private var rows: (rows: [TakeRow], hosts: [Host?]) {
    let here = rows(extending: true)
    let others = store.others
    if others.isEmpty { return (here, []) }
    let there = others.flatMap { store in
      store.catalogue.rows(extending: false).map { (row: $0, host: store.owner) }
    }
    let all = (here.map { (row: $0, host: Host?.none) } + there).sorted {
      $0.row.began < $1.row.began
    }
    return (all.map(\.row), all.map(\.host))
  }

  private func rows(extending: Bool) -> [TakeRow] {
    guard let directory = open(),
      let rows = TakeRows(in: directory, checking: true, extending: extending)
    else { return [] }
    return rows.all()
  }

  /// The content of the journal of changes. It is empty if the journal cannot be read.
  var changeLog: ChangeLog {
    guard let directory = open() else { return ChangeLog() }
    return ChangeLog(in: directory)
  }

  /// Returns the title that `rename` gave to the take whose file is at `path`, or nil if `rename`
  /// did not change the title. The title is empty if `rename --title ''` or an undo removed it.
  package func changedTitle(at path: String) -> String? {
    changedPaths(at: path) { $0.title != nil }?.title?.to
  }

  /// Returns the current path of the sidecar for the take file at `path`, or nil if the sidecar was
  /// never moved.
  package func movedSidecar(at path: String) -> String? {
    changedPaths(at: path) { $0.sidecar != nil }?.sidecar
  }

  /// Returns true if the file at `path` certainly belongs to a take other than `identifier`. If so,
  /// a sidecar that is next to this file and names the take `identifier` is about another file.
  package func hasOtherTake(at path: String, than identifier: String) -> Bool {
    guard let directory = open(), let rows = TakeRows(in: directory, checking: false),
      let row = rows.newest(at: path), let trace = row.trace
    else { return false }
    return !row.identifier.isSameName(as: identifier) && trace.isAt(path)
  }

  /// Returns the newest take with a file for each track and with one of these files at `path`. Only
  /// takes of this machine count. Returns nil if there is none, or if its first file is missing.
  package func take(withTrackAt path: String) -> ListedTake? {
    guard let directory = open(), let rows = TakeRows(in: directory, checking: false) else {
      return nil
    }
    let moves = changeLog.movedPaths
    let moved = moves.first { move in
      move.value.tracks.values.contains { $0.path.isSameName(as: path) }
    }?.key
    let found = rows.newest(withTracks: { row in
      moved.map { row.key == $0 } ?? row.tracks.files.contains { $0.isSameName(as: path) }
    })
    guard let row = found else { return nil }
    let take = ListedTake(row, moves[row.key]) { _ in false }
    let isCurrent = take.tracks.files.contains { $0.isSameName(as: path) }
    return take.exists && isCurrent ? take : nil
  }

  private func changedPaths(at path: String, _ isMeant: (MovedPaths) -> Bool) -> MovedPaths? {
    changeLog.movedPaths.values.first {
      isMeant($0) && $0.path?.isSameName(as: path) == true && $0.isStill(at: path)
    }
  }
}

/// A reader for the catalogue lines of listed takes, including takes of other machines.
package struct TakeLines {
  private var readers: [Host?: LineReader] = [:]

  /// Opens the catalogues of `store` and of the other machines that share its home directory.
  package init(of store: MachineStore) {
    for store in [store] + store.others {
      guard let file = store.catalogue.openList() else { continue }
      readers[store.owner] = LineReader(OpenFile(file))
    }
  }

  /// Returns the JSON text of a take. `isPlain` is true if nothing in the text has to be escaped
  /// for a terminal. Returns nil if the line of the take no longer exists.
  package mutating func text(of take: ListedTake) -> (text: ArraySlice<UInt8>, isPlain: Bool)? {
    guard let line = take.row.line, let bytes = readers[take.host]?.bytes(of: line) else {
      return nil
    }
    return (bytes, line.isPlain)
  }

  /// Returns the result of a take, or nil if its line no longer exists.
  package mutating func result(of take: ListedTake) -> RecordingResult? {
    guard let line = text(of: take)?.text else { return nil }
    return TakeCatalogue.takes(in: Array(line)).first
  }
}

/// A take that ended a short time ago.
package struct EndedTake: Sendable {
  /// The take with the current path of its file.
  package let take: ListedTake
  /// The result of the take.
  package let result: RecordingResult
  /// The time since its end.
  package let past: Duration
}

extension TakeCatalogue {
  /// Returns the take that ended last on this machine. If `name` is given, only takes with this
  /// name count. Of a split take, only the last file counts. Returns nil if the take ended longer
  /// than `limit` ago, or is not among the newest `mostRead` takes.
  package func latest(_ name: String?, within limit: Duration) -> EndedTake? {
    // Most calls return here, because no take ended within `limit`. This saves opening the state
    // directories of all machines.
    guard let status = try? FileStatus(of: path.path(of: SessionPaths.catalogue)),
      KernelClock.realTime.now - status.modified < limit
    else { return nil }
    let take = newestTakes(Self.mostRead).last { take in
      take.host == nil && take.reason != EndReason.split.word
        && (name == nil || take.name == name)
    }
    var lines = TakeLines(of: store)
    guard let take, let result = lines.result(of: take) else { return nil }
    let past = max(.zero, KernelClock.realTime.now - result.ended)
    return past < limit ? EndedTake(take: take, result: result, past: past) : nil
  }
}
