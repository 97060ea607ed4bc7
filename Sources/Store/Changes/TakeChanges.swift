internal import Audio
internal import Control
internal import Linux

/// The changes of takes, made one at a time and recorded in a journal, so that they can be undone.
package struct TakeChanges {
  let store: MachineStore
  /// The path of the user's own trash.
  private let home: String
  /// The maximum length of a new change in the journal, in bytes.
  private let longest: Int

  private static let mostAttempts = 20

  /// Prepares changes to a store's takes, with the trash in the user's home directory.
  package init(_ store: MachineStore) throws {
    self.init(store, trash: try SessionPaths.trash())
  }

  /// Prepares changes to a store's takes. `trash` is the directory of the user's own trash.
  package init(_ store: MachineStore, trash: String) {
    self.init(store, trash: trash, longest: ChangeLog.longestChange)
  }

  /// Prepares changes with another maximum length of a change.
  init(_ store: MachineStore, trash: String, longest: Int) {
    self.store = store
    home = trash
    self.longest = longest
  }

  private func openJournal() throws -> ChangeJournal {
    try ChangeJournal(in: store.paths.state, longest: longest)
  }

  /// Moves takes into the trash, each with its sidecar.
  package func trash(_ takes: [ListedTake]) throws -> TakeChange {
    let journal = try openJournal()
    var sources: [TakeMove] = []
    let movers = journal.log.movers
    for take in takes { sources += try self.sources(of: take, for: .trash, journal.log, movers) }
    return try trash(sources, as: journal.next(.trash), in: journal)
  }

  /// Moves files and their sidecars to the trash, so that a recording can use their names. Returns
  /// the paths of the files in the trash, without the sidecars.
  package func makeWay(at paths: [String]) throws -> [String] {
    let journal = try openJournal()
    let sources = paths.flatMap { path -> [TakeMove] in
      let key =
        store.catalogue.listedTake(at: path)?.row.key ?? TakeKey(identifier: "", segment: 1)
      return [path, path + ".json"].compactMap { file -> TakeMove? in
        guard let status = try? FileStatus(of: file, following: false), status.kind == .regular
        else { return nil }
        return Self.source(file, key, isSidecar: !file.isSameName(as: path), status)
      }
    }
    guard !sources.isEmpty else { return [] }
    let change = try trash(sources, as: journal.next(.trash), in: journal)
    return change.moves.filter { !$0.isSidecar }.map(\.to)
  }

  /// Renames a take and its sidecar, and changes its title. The title in the sound file does not
  /// change.
  ///
  /// - Parameters:
  ///   - name: the new name, or nil to keep the name.
  ///   - title: the new title, or nil to keep the title.
  package func rename(
    _ take: ListedTake, to name: String?, title: String? = nil
  ) throws -> TakeChange {
    let journal = try openJournal()
    let sources = try sources(of: take, for: .rename, journal.log, journal.log.movers)
    var moves = name.map { Self.renamed(sources, of: take, to: $0) } ?? sources
    let former = journal.log.movedPaths[take.row.key]?.title?.to ?? take.row.title
    if let title, !title.isSameName(as: former), !moves.isEmpty {
      moves[0].title = TitleChange(from: former, to: title)
    }
    moves.removeAll { $0.keepsPath && $0.title == nil }
    let moved = moves.filter { !$0.keepsPath }
    for move in moved { try Self.refuseTooLong(move) }
    // The path of the sidecar must be free even if the take has no sidecar, because another file at
    // this path would appear to be the sidecar of the take.
    let targets = moved.map(\.to) + moved.prefix(1).map { $0.to + ".json" }
    for path in Set(names: targets).map(\.text).sorted() { try refuseTaken(path) }
    let change = journal.next(.rename, moves)
    if !moves.isEmpty { try journal.make(change) }
    return change
  }

  /// Returns the moves of a take's files to a new name. The extension stays the same. If the take
  /// has a file for each track, the name of the track is added to each file name.
  private static func renamed(
    _ sources: [TakeMove], of take: ListedTake, to name: String
  ) -> [TakeMove] {
    let ending = sources.first?.from.pathParts.name.nameParts.ending ?? ""
    let whole = name.lowercased().ends(with: ending.lowercased()) ? name : name + ending
    let first = take.row.tracks.first { $0.file != nil }?.name
    return sources.map { source in
      let named = (source.track ?? first).map { TrackFileName.adding($0, to: whole) } ?? whole
      let new = source.isSidecar ? named + ".json" : named
      return source.redirected(to: source.from.pathParts.directory.path(of: new))
    }
  }

  /// Throws if the filesystem does not allow a name of this length. The name of the sidecar is
  /// longer than the name of the sound file. So without this check, the sound file could be renamed
  /// without its sidecar.
  private static func refuseTooLong(_ move: TakeMove) throws(TakeChangeError) {
    do throws(SystemError) {
      _ = try FileStatus(of: move.to, following: false)
    } catch {
      if error.errno == .nameTooLong { throw TakeChangeError.unmoved(move.from, error) }
    }
  }

  /// Records a deletion or a failure; see `TakeCatalogue.note`.
  func note(_ action: TakeChange.Action, of subject: String) throws {
    let journal = try openJournal()
    guard !journal.log.undoable.isEmpty else { return }
    var change = journal.next(action)
    change.subject = subject
    try journal.make(change)
  }
}

extension TakeCatalogue {
  /// Records a deletion or a failed attempt, so that `undo` does not silently undo an older change
  /// instead.
  ///
  /// Nothing is recorded if there is nothing to undo, or if the journal cannot be written.
  ///
  /// - Parameter subject: the path of the deleted file, or the command that failed.
  package func note(_ action: TakeChange.Action, of subject: String) {
    try? TakeChanges(store).note(action, of: subject)
  }
}

// MARK: - Undoing and redoing

extension TakeChanges {
  /// Undoes the last change.
  ///
  /// - Parameter older: whether to undo the last change that can be undone, even if a later change
  ///   failed or cannot be undone. If `older` is false, `undo` throws in this case.
  package func undo(older: Bool = false) throws -> (undone: TakeChange, by: TakeChange) {
    let journal = try openJournal()
    guard let former = journal.log.undoable.last(where: { !$0.action.isFinal }),
      let last = journal.log.failed ?? journal.log.undoable.last
    else { throw TakeChangeError.nothing(.undo) }
    guard older || !last.action.isFinal else { throw TakeChangeError.final(last, after: former) }
    var moves: [TakeMove] = []
    var names: [Path: String] = [:]
    var isBack = false
    for made in former.moves.reversed() {
      let move = journal.log.following(made, isMade: true)
      if let file = try file(at: move.to, move) {
        moves.append(move.reversed(file, to: try restoredPath(of: move, &names)))
      } else if move.file.isAt(move.from) {
        // Another program has already moved the file back.
        isBack = true
      }
    }
    if moves.isEmpty, !isBack { try giveUp(former, .undo, former.moves.map(\.to), in: journal) }
    let change = journal.next(.undo, of: former, moves)
    try journal.make(change)
    return (former, change)
  }

  /// Redoes the change that was undone last.
  package func redo() throws -> (redone: TakeChange, by: TakeChange) {
    let journal = try openJournal()
    guard let former = journal.log.redoable.last else { throw TakeChangeError.nothing(.redo) }
    var moves: [TakeMove] = []
    for undone in former.moves {
      let move = journal.log.following(undone, isMade: false)
      guard let file = try file(at: move.from, move) else { continue }
      moves.append(move.repeated(file, from: move.from))
    }
    if moves.isEmpty { try giveUp(former, .redo, former.moves.map(\.from), in: journal) }
    if former.action == .trash {
      let change = journal.next(.redo, of: former)
      return (former, try trash(moves, as: change, in: journal))
    }
    for move in moves where !move.keepsPath { try refuseTaken(move.to) }
    let change = journal.next(.redo, of: former, moves)
    try journal.make(change)
    return (former, change)
  }

  /// Returns the file that a change left at `path`, or nil if no file is there. Throws if another
  /// file is there.
  private func file(at path: String, _ move: TakeMove) throws(TakeChangeError) -> FileTrace? {
    guard let status = try? FileStatus(of: path, following: false) else { return nil }
    // A renamed file may have been edited since, and is still the same file. In the trash, a file
    // with other content counts as another file.
    let isInTrash = path.isSameName(as: move.to) && move.isIntoTrash
    let file = FileTrace(status).withBirth(at: path)
    guard status.kind == .regular,
      isInTrash ? move.file.isAt(path) : move.file.isSame(as: file, at: path)
    else { throw .exchanged(path) }
    return file
  }

  /// Drops a change that can never be undone or redone, so that the next undo or redo skips the
  /// change. Then throws the reason.
  private func giveUp(
    _ change: TakeChange, _ action: TakeChange.Action, _ paths: [String],
    in journal: borrowing ChangeJournal
  ) throws {
    try journal.make(journal.next(.drop, of: change))
    throw TakeChangeError.gone(paths.first ?? "", action)
  }
}

// MARK: - Files on their way

extension TakeChanges {
  /// Throws if the path is in use, if a running recording will save its file at the path, or if the
  /// directory of the path does not exist.
  func refuseTaken(_ path: String) throws(TakeChangeError) {
    let (parent, _) = path.pathParts
    guard (try? FileStatus(of: parent))?.kind == .directory else { throw .noDirectory(parent) }
    if (try? FileStatus(of: path, following: false)) != nil { throw .taken(path) }
    if let writer = store.sessions.recording(at: path) { throw .recorded(path, name: writer.name) }
  }

  /// Moves files into the trash. If a chosen name in the trash is already in use, tries again with
  /// another name.
  private func trash(
    _ sources: [TakeMove], as change: TakeChange, in journal: borrowing ChangeJournal
  ) throws -> TakeChange {
    var change = change
    var attempts = 0
    while true {
      change.moves = try intoTrash(sources)
      attempts += 1
      let isLast = attempts == Self.mostAttempts
      do {
        try journal.make(change)
        return change
      } catch let error as TakeChangeError where error.isOfTakenName && !isLast {}
    }
  }

  private func intoTrash(_ sources: [TakeMove]) throws(TakeChangeError) -> [TakeMove] {
    var (moves, taken): ([TakeMove], Set<Path>) = ([], [])
    let now = WallTime.now
    for source in sources {
      let move = try mapError({ TakeChangeError.noTrash(source.from, $0) }) {
        () throws(SystemError) in
        let (parent, name) = source.from.pathParts
        let directory = try Directory(parent)
        guard let whole = try directory.descriptor.currentPath() else {
          throw SystemError("openat", parent, errno: .noSuchFile)
        }
        let trash = try TrashDirectory(for: whole, home: home)
        guard let entry = trash.freeEntry(for: name, besides: taken) else {
          throw SystemError("openat", trash.path, errno: .exists)
        }
        var move = source.redirected(to: entry.file)
        move.info = entry.info
        move.origin = trash.info(for: whole.path(of: name), at: now)
        return move
      }
      taken.insert(Path(move.to))
      moves.append(move)
    }
    return moves
  }
}
