package import Audio
package import Control
internal import Linux

/// A take of the catalogue, with its number and the current state of its file.
@dynamicMemberLookup
package struct ListedTake: Hashable, Sendable {
  /// The number in references, 1 for the newest take with a file. Nil for a take without a file,
  /// and for a take that was looked up individually.
  package private(set) var number: Int?
  /// The take as stored in the catalogue.
  package let row: TakeRow
  /// The other machine that recorded the take, or nil for this machine.
  package var host: Host? { if case .other(let host) = origin { host } else { nil } }
  /// The state of the file.
  package private(set) var state: State
  /// True if the first file is at its path, but the file of a further track does not exist.
  private var lacksTrack = false
  /// True if another file is at the path of the take. This file may be an edited version that a
  /// program saved as a new file, or it may be unrelated to the take. These cases cannot be
  /// distinguished.
  package private(set) var isDoubtful = false
  /// True if the user gave the path of the file instead of a reference such as `@1`. In this case,
  /// the file at this path is used, even if another program has replaced the file.
  var isNamedByPath = false
  private let origin: Origin
  private let location: Location

  /// The current path of the file, or its last path if it is in the trash. Nil for a take without a
  /// file.
  package var path: String? { moved?.path ?? row.path }
  /// The path of the file in the trash, or nil if the file is elsewhere.
  package var trash: String? { state == .trashed ? moved?.trash : nil }
  /// The current path of the sidecar, or nil for a take without a sidecar. Also nil if the file was
  /// moved without its sidecar, because the sidecar at the old path may belong to a later take.
  package var sidecar: String? {
    guard let moved, let path = moved.path else { return row.sidecar }
    return moved.sidecar ?? (row.path?.isSameName(as: path) == true ? row.sidecar : nil)
  }

  /// The title, or an empty string for a take without one.
  package var title: String { moved?.title?.to ?? row.title }

  /// The title, the note and the texts of the marks, each on its own line. The title may be empty.
  package var words: String {
    guard let title = moved?.title?.to else { return row.words }
    return title + row.words.trimmingBytes(first: row.title.utf8.count)
  }

  /// The tracks, with the current paths of their files. Empty for a plain take, which has one track
  /// without a name.
  package var tracks: [Track] {
    guard let moved, !row.tracks.files.isEmpty else { return row.tracks }
    var isFirst = true
    return row.tracks.map { track in
      guard let saved = track.file else { return track }
      var track = track
      track.file = (isFirst ? moved.path : moved.tracks[Path(track.name ?? "")]?.path) ?? saved
      isFirst = false
      return track
    }
  }

  /// The current paths of the files: one path, or one for each track. Empty without a file.
  package var files: [String] { path.map { [$0] + tracks.files.dropFirst() } ?? [] }

  /// The facts that identified the file when a change moved it, or nil if no change has moved it.
  var movedTrace: FileTrace? { moved?.file }

  /// Returns the facts that identified the file of a further track when a change moved it, or nil
  /// if no change has moved it.
  func movedTrace(ofTrack track: String?) -> FileTrace? {
    moved?.tracks[Path(track ?? "")]?.file
  }

  /// The facts that identify the file, or nil if they are not known.
  private var trace: FileTrace? {
    (movedTrace ?? row.trace).flatMap { $0.inode == 0 ? nil : $0 }
  }

  /// Compares the file at the path with the stored facts of the take's file, and sets `isDoubtful`.
  /// Returns true if a fact differs.
  private mutating func differs(from present: FileTrace) -> Bool {
    guard exists, host == nil, let path, let trace, present != trace else { return false }
    isDoubtful = !trace.isSame(as: present, at: path)
    return true
  }

  /// True if a file of the take, or of a further track, is not at its path and was not thrown away.
  /// Another program may have moved this file.
  package var isLost: Bool {
    guard host == nil, moved?.trash == nil else { return false }
    return state == .missing || state == .replaced || lacksTrack
  }

  /// The current paths of the files of further tracks, or none if the first file is not at its
  /// path.
  private var furtherFiles: ArraySlice<String> {
    exists && !row.tracks.isEmpty ? files.dropFirst() : []
  }

  /// True if no change has moved the file or its sidecar, or changed the title.
  package var isWhereSaved: Bool { moved == nil }

  private var moved: MovedPaths? { if case .moved(let paths) = location { paths } else { nil } }

  /// True if the file of the take is at its path.
  package var exists: Bool { state == .whole || state == .changed }

  /// A property of the row.
  package subscript<Value>(dynamicMember fact: KeyPath<TakeRow, Value>) -> Value {
    row[keyPath: fact]
  }

  /// The machine of a take. The enum is indirect, so that a value needs only one word of memory.
  private indirect enum Origin: Hashable, Sendable {
    case this
    case other(Host)
  }

  /// The location of a take's file. The enum is indirect, so that a value needs only one word of
  /// memory.
  private indirect enum Location: Hashable, Sendable {
    case asSaved
    case moved(MovedPaths)
  }

  /// The state of a take's file.
  package enum State: Hashable, Sendable {
    /// The file is at its path, with the size that it was saved with.
    case whole
    /// The file is at its path with another size: it was changed.
    case changed
    /// The file is not at its path: another program deleted, moved or exchanged it.
    case missing
    /// `--keep` deleted the file.
    case pruned
    /// The file was thrown away and is in the trash.
    case trashed
    /// A later take has the same path.
    case replaced
    /// The take has no file: it went to stdout, or no file was kept.
    case unfiled
  }
}

extension ListedTake {
  /// Sets the state of a take to `missing` if the file of another take is at its path. In this
  /// case, another program has exchanged or renamed these files.
  ///
  /// - Parameter files: the file at the path of each take.
  private static func markExchanged(_ takes: inout [ListedTake], _ files: [FileSizes.Entry]) {
    let other = takes.indices.filter { takes[$0].differs(from: FileTrace(files[$0])) }
    guard !other.isEmpty else { return }
    let known = Set(takes.lazy.filter { $0.host == nil }.compactMap(\.trace))
    for index in other where known.contains(FileTrace(files[index])) {
      takes[index].state = .missing
    }
  }
}

extension ListedTake {
  /// Creates a take from a row and the current paths of its file. The state is not known yet,
  /// except for a file in the trash.
  private init(_ row: TakeRow, _ host: Host?, _ moved: MovedPaths?) {
    self.row = row
    origin = host.map(Origin.other) ?? .this
    location = moved.map(Location.moved) ?? .asSaved
    let isTrashed = moved?.trash.map { moved?.file?.isAt($0) == true } ?? false
    state = isTrashed ? .trashed : .unfiled
  }

  /// The take that the file at a take's path belongs to.
  private enum Owner {
    /// The take itself. This is also the value if the take has no path, or no file is at its path.
    case itself
    /// A later take, or an earlier take whose file was moved to this path.
    case later, earlier
  }

  /// Sets the state of a file that is not in the trash.
  ///
  /// - Parameter size: the size of the file at the path, or -1 if there is none.
  private mutating func setState(size: Int64, _ owner: Owner) {
    guard state != .trashed, path != nil else { return }
    state =
      switch owner {
      case .later: .replaced
      case .earlier: .missing
      case .itself: size < 0 ? .missing : size == row.fileBytes ? .whole : .changed
      }
  }

  /// Returns the take. If its file is missing because `--keep` deleted it, the returned take has
  /// the state `pruned`.
  func markedPruned(in pruned: Set<TakeKey>) -> ListedTake {
    guard state == .missing, host == nil, pruned.contains(row.key) else { return self }
    var take = self
    take.state = .pruned
    return take
  }

  /// Creates one take, with the state of its file.
  ///
  /// - Parameter isReplaced: returns true if a later take has the current path of the file.
  init(_ row: TakeRow, _ moved: MovedPaths?, isReplaced: (_ path: String) -> Bool) {
    self.init(row, nil, moved)
    guard let path else { return }
    let file = (try? FileStatus(of: path)).map { FileTrace($0) }
    setState(size: file?.size ?? -1, state != .trashed && isReplaced(path) ? .later : .itself)
    if let file { _ = differs(from: file) }
    lacksTrack = furtherFiles.contains { (try? FileStatus(of: $0)) == nil }
  }

  /// Returns the takes of these results with their states, oldest first.
  package static func list(_ takes: [(take: RecordingResult, host: Host?)]) -> [ListedTake] {
    list(takes.map { TakeRow($0.take) }, ChangeLog()) { takes[$0].host }
  }

  /// Returns the takes of these rows with their states, oldest first.
  ///
  /// - Parameter host: returns the other machine of the row at an index, or nil for this machine.
  static func list(
    _ rows: [TakeRow], _ log: ChangeLog, host: (_ index: Int) -> Host? = { _ in nil }
  ) -> [ListedTake] {
    let paths = rows.map { log.paths(of: $0, on: nil)?.path ?? $0.path ?? "" }
    var takes: [ListedTake] = []
    takes.reserveCapacity(rows.count)
    // If a change moved the file of a take to a path, and this file is still there, the path
    // belongs to this take. Otherwise, the path belongs to the last take with this path.
    var later = Set<Path>(minimumCapacity: rows.count)
    let movers = log.movers
    let (files, owners) = FileSizes.of(paths) {
      rows.indices.reversed().map { index -> Owner in
        let moved = log.paths(of: rows[index], on: host(index))
        let take = ListedTake(rows[index], host(index), moved)
        takes.append(take)
        guard take.state != .trashed, let path = take.path.map(Path.init) else { return .itself }
        let isLast = later.insert(path).inserted
        guard let movers = movers[path], !isLast || movers != [take.row.key],
          let owner = movers.first(where: { log.movedPaths[$0]?.isStill(at: path.text) == true })
        else { return isLast ? .itself : .later }
        return owner == take.row.key ? .itself : isLast ? .earlier : .later
      }
    }
    takes.reverse()
    var further: [(index: Int, path: String)] = []
    for index in takes.indices {
      takes[index].setState(size: files[index].size, owners[rows.count - 1 - index])
    }
    markExchanged(&takes, files)
    for index in takes.indices {
      for path in takes[index].furtherFiles { further.append((index, path)) }
    }
    let (found, _) = FileSizes.of(further.map(\.path)) {}
    for (file, entry) in zip(further, found) where entry.size < 0 {
      takes[file.index].lacksTrack = true
    }
    var number = 0
    for index in takes.indices.reversed() where takes[index].exists {
      number += 1
      takes[index].number = number
    }
    return takes
  }
}

extension ChangeLog {
  /// Returns the current paths of a take of this machine, or nil if no change has moved its files
  /// or changed its title. Also returns nil for a take of another machine.
  func paths(of row: TakeRow, on host: Host?) -> MovedPaths? {
    movedPaths.isEmpty || host != nil ? nil : movedPaths[row.key]
  }
}
