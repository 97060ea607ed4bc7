internal import Control
internal import JSON
internal import Linux

/// The changes of takes, made one at a time. A journal records how to undo each of them.
///
/// The journal records a change before a file is moved, and its end afterwards. If the process dies
/// in between, the change has no end. If its first file was moved, the next change first moves the
/// other files too. Otherwise the change is void.
package struct TakeChanges {
  private let store: SessionStore
  /// The path of the user's own trash.
  private let home: String
  /// The maximum length of a new change in the journal, in bytes.
  private let longest: Int

  private static let lock = "changes.lock"
  /// The time limit for the lock. It is longer than a change of many takes lasts.
  private static let patience = Duration.seconds(5)
  private static let mostAttempts = 20

  /// Creates the changes of a store's takes, with the trash in the user's home.
  package init(_ store: SessionStore) throws(TakeChangeError) {
    do {
      self.init(store, trash: try SessionPaths.trash())
    } catch {
      throw .directory(error)
    }
  }

  /// Creates the changes of a store's takes, with the directory of the user's own trash.
  package init(_ store: SessionStore, trash: String) {
    self.init(store, trash: trash, longest: ChangeLog.longestChange)
  }

  /// Creates the changes with another maximum length of a change.
  init(_ store: SessionStore, trash: String, longest: Int) {
    self.store = store
    home = trash
    self.longest = longest
  }

  /// Moves takes into the trash, each with its sidecar.
  package func trash(_ takes: [ListedTake]) throws(TakeChangeError) -> TakeChange {
    try changing { directory, log throws(TakeChangeError) in
      var sources: [Source] = []
      let movers = log.movers
      for take in takes { sources += try self.sources(of: take, log, movers) }
      return try self.trash(
        sources, as: { TakeChange(step: log.next, action: .trash, original: nil, moves: $0) },
        in: directory)
    }
  }

  /// Moves a file and its sidecar to the trash, because a recording is about to get the name.
  package func makeWay(at path: String) throws(TakeChangeError) {
    try changing { directory, log throws(TakeChangeError) in
      let key = self.store.listedTake(at: path)?.row.key ?? TakeKey(identifier: "", segment: 1)
      let sources = [path, path + ".json"].compactMap { file in
        let status = try? FileStatus(of: file, following: false)
        return status.flatMap {
          $0.kind == .regular
            ? Source(path: file, key, isSidecar: !file.isSameName(as: path), $0) : nil
        }
      }
      if sources.isEmpty { return }
      _ = try self.trash(
        sources, as: { TakeChange(step: log.next, action: .trash, original: nil, moves: $0) },
        in: directory)
    }
  }

  /// Renames a take and its sidecar. The extension stays the same.
  package func rename(
    _ take: ListedTake, to name: String
  ) throws(TakeChangeError) -> TakeChange {
    try changing { directory, log throws(TakeChangeError) in
      let sources = try self.sources(of: take, log, log.movers)
      let ending = sources.first?.path.pathParts.name.nameParts.ending ?? ""
      let whole = name.lowercased().ends(with: ending.lowercased()) ? name : name + ending
      let moves = sources.map { source in
        let new = source.isSidecar ? whole + ".json" : whole
        return source.move(to: source.path.pathParts.directory.path(of: new))
      }.filter { !$0.from.isSameName(as: $0.to) }
      // A sidecar of another file at this path would appear to belong to the take.
      for path in Set(moves.map(\.to) + moves.prefix(1).map { $0.to + ".json" }).sorted() {
        try self.refuseTaken(path)
      }
      let change = TakeChange(step: log.next, action: .rename, original: nil, moves: moves)
      if !moves.isEmpty { try self.make(change, in: directory) }
      return change
    }
  }

  /// Records a deletion; see `SessionStore.note`.
  func note(_ action: TakeChange.Action, of path: String) throws(TakeChangeError) {
    try changing { directory, log throws(TakeChangeError) in
      guard !log.undoable.isEmpty else { return }
      var change = TakeChange(step: log.next, action: action, original: nil, moves: [])
      change.deleted = path
      try self.make(change, in: directory)
    }
  }
}

extension SessionStore {
  /// Records a deletion, so that `undo` does not silently undo an older change instead.
  ///
  /// Nothing is recorded if there is nothing to undo, or if the journal cannot be written.
  package func note(_ action: TakeChange.Action, of path: String) {
    try? TakeChanges(self).note(action, of: path)
  }
}

// MARK: - Undoing and redoing

extension TakeChanges {
  /// Undoes the last change.
  ///
  /// - Parameter older: whether to skip a later change that cannot be undone. Otherwise `undo`
  ///   throws for such a change.
  package func undo(
    older: Bool = false
  ) throws(TakeChangeError) -> (undone: TakeChange, by: TakeChange) {
    try changing { directory, log throws(TakeChangeError) in
      guard let former = log.undoable.last(where: { !$0.action.isFinal }),
        let last = log.undoable.last
      else { throw .nothing(.undo) }
      guard older || !last.action.isFinal else { throw .final(last, after: former) }
      var moves: [TakeMove] = []
      var names: [TakeKey: String] = [:]
      var isBack = false
      for move in former.moves.reversed() {
        if let file = try self.file(at: move.to, move) {
          moves.append(move.reversed(file, to: try self.restoredPath(of: move, &names)))
        } else if move.file.isAt(move.from) {
          // Another program has already moved it back.
          isBack = true
        }
      }
      if moves.isEmpty, !isBack {
        throw try self.giveUp(former, former.moves.map(\.to), log, directory)
      }
      let change = TakeChange(step: log.next, action: .undo, original: former.step, moves: moves)
      try self.make(change, in: directory)
      return (former, change)
    }
  }

  /// Redoes the change that was undone last.
  package func redo() throws(TakeChangeError) -> (redone: TakeChange, by: TakeChange) {
    try changing { directory, log throws(TakeChangeError) in
      guard let former = log.redoable.last else { throw .nothing(.redo) }
      var moves: [TakeMove] = []
      for move in former.moves {
        guard let file = try self.file(at: move.from, move) else { continue }
        moves.append(move.repeated(file, from: move.from))
      }
      if moves.isEmpty { throw try self.giveUp(former, former.moves.map(\.from), log, directory) }
      let again = { (moves: [TakeMove]) in
        TakeChange(step: log.next, action: .redo, original: former.step, moves: moves)
      }
      guard former.action == .trash else {
        for move in moves { try self.refuseTaken(move.to) }
        let change = again(moves)
        try self.make(change, in: directory)
        return (former, change)
      }
      return (former, try self.trash(moves.map(Source.init), as: again, in: directory))
    }
  }

  /// Returns the file that a change left at a path, or nil. Throws if it is another file.
  private func file(
    at path: String, _ move: TakeMove
  ) throws(TakeChangeError) -> FileTrace? {
    guard let status = try? FileStatus(of: path, following: false) else { return nil }
    // A renamed file may have been edited since. A changed file in the trash is another file.
    let isInTrash = path.isSameName(as: move.to) && move.isIntoTrash
    guard isInTrash ? move.file.matches(status) : move.file.isSame(status) else {
      throw .exchanged(path)
    }
    return FileTrace(status)
  }

  /// Records that a change can never be undone or redone, so that the change before it can be.
  private func giveUp(
    _ change: TakeChange, _ paths: [String], _ log: ChangeLog, _ directory: borrowing Directory
  ) throws(TakeChangeError) -> TakeChangeError {
    let drop = TakeChange(step: log.next, action: .drop, original: change.step, moves: [])
    try record(drop.json.encoded(), in: directory)
    try record(ChangeLog.end(of: drop, made: 0).encoded(), in: directory)
    return .gone(paths.first ?? "")
  }
}

// MARK: - Files on their way

extension TakeChanges {
  /// A file to move.
  private struct Source {
    let path: String
    let take: TakeKey
    let isSidecar: Bool
    let file: FileTrace

    init(path: String, _ take: TakeKey, isSidecar: Bool, _ status: FileStatus) {
      (self.path, self.take, self.isSidecar) = (path, take, isSidecar)
      file = FileTrace(status)
    }

    init(_ move: TakeMove) {
      (path, take, isSidecar, file) = (move.from, move.take, move.isSidecar, move.file)
    }

    func move(to path: String, info: String? = nil, origin: String? = nil) -> TakeMove {
      TakeMove(
        take: take, isSidecar: isSidecar, from: self.path, to: path, info: info, origin: origin,
        file: file)
    }
  }

  /// Returns the files of a take: the sound file, and the sidecar if it exists.
  ///
  /// The previous change may have just been completed, so the path of the take is looked up again.
  /// A take in the trash keeps its last path, but the file of another take may be there.
  private func sources(
    of take: ListedTake, _ log: ChangeLog, _ movers: [Path: [TakeKey]]
  ) throws(TakeChangeError) -> [Source] {
    let wasReplaced = take.state == .replaced
    let moved = log.paths(of: take.row, on: take.host)
    let take =
      take.host == nil
      ? ListedTake(take.row, moved) { _ in wasReplaced } : take
    guard let path = take.path else { throw .unfiled }
    if take.host != nil { throw .elsewhere(path) }
    if take.state == .trashed { throw .missing(path) }
    if take.state == .replaced { throw .exchanged(path) }
    let key = take.row.key
    let others = movers[Path(path)]?.filter { $0 != key } ?? []
    if others.contains(where: { log.movedPaths[$0]?.isStill(at: path) == true }) {
      throw .missing(path)
    }
    guard let status = try? FileStatus(of: path, following: false) else { throw .missing(path) }
    guard status.kind == .regular else { throw .notRegular(path) }
    let file = Source(path: path, key, isSidecar: false, status)
    guard let sidecar = take.sidecar,
      let status = try? FileStatus(of: sidecar, following: false), status.kind == .regular
    else { return [file] }
    return [file, Source(path: sidecar, key, isSidecar: true, status)]
  }

  /// Throws if the name is in use, or if a recording is about to get it.
  func refuseTaken(_ path: String) throws(TakeChangeError) {
    let (parent, _) = path.pathParts
    guard (try? FileStatus(of: parent))?.kind == .directory else { throw .noDirectory(parent) }
    if (try? FileStatus(of: path, following: false)) != nil { throw .taken(path) }
    if let writer = store.recording(at: path) { throw .recorded(path, name: writer.name) }
  }

  /// Moves files into the trash. Tries other names if other programs take these first.
  private func trash(
    _ sources: [Source], as change: ([TakeMove]) -> TakeChange, in directory: borrowing Directory
  ) throws(TakeChangeError) -> TakeChange {
    var attempts = 0
    while true {
      let change = change(try intoTrash(sources))
      attempts += 1
      do throws(TakeChangeError) {
        try make(change, in: directory)
        return change
      } catch {
        guard case .taken = error, attempts < Self.mostAttempts else { throw error }
      }
    }
  }

  private func intoTrash(_ sources: [Source]) throws(TakeChangeError) -> [TakeMove] {
    var (moves, taken): ([TakeMove], Set<Path>) = ([], [])
    let now = WallTime.now
    for source in sources {
      let (parent, name) = source.path.pathParts
      do throws(SystemError) {
        let directory = try Directory(parent)
        guard let whole = try directory.descriptor.currentPath() else {
          throw SystemError("openat", parent, errno: .noSuchFile)
        }
        let trash = try TrashDirectory(for: whole, home: home)
        guard let entry = trash.freeEntry(for: name, besides: taken) else {
          throw SystemError("openat", trash.path, errno: .exists)
        }
        taken.insert(Path(entry.file))
        moves.append(
          source.move(
            to: entry.file, info: entry.info, origin: trash.info(for: whole.path(of: name), at: now)
          ))
      } catch {
        throw .noTrash(source.path, error)
      }
    }
    return moves
  }
}

// MARK: - The journal

extension TakeChanges {
  /// Runs a change under the lock, after completing an unfinished change.
  private func changing<Answer>(
    _ body: (borrowing Directory, ChangeLog) throws(TakeChangeError) -> Answer
  ) throws(TakeChangeError) -> Answer {
    let directory = try open()
    let lock: FileLock
    do {
      lock = try FileLock(Self.lock, in: directory, waitingUpTo: Self.patience)
    } catch {
      throw error.errno == .timedOut ? .busy : .system(error)
    }
    var log = ChangeLog(in: directory)
    if let unfinished = log.unfinished {
      try end(unfinished, in: directory)
      log = ChangeLog(in: directory)
    }
    log.shorten(in: directory)
    let answer = try body(directory, log)
    _ = consume lock
    return answer
  }

  private func open() throws(TakeChangeError) -> Directory {
    do {
      return try PrivateDirectory.make(at: store.paths.state)
    } catch {
      throw .directory(error)
    }
  }

  /// Completes a change whose process died: moves the remaining files if one was moved.
  private func end(
    _ change: TakeChange, in directory: borrowing Directory
  ) throws(TakeChangeError) {
    var made = change.progress
    for move in change.moves.prefix(made) { MovedFile(move).tidy() }
    for move in change.moves.dropFirst(made) { MovedFile(move).withdraw() }
    if made > 0 {
      for move in change.moves.dropFirst(made) {
        guard (try? MovedFile(move).make()) != nil else { break }
        made += 1
      }
    }
    try record(ChangeLog.end(of: change, made: made).encoded(), in: directory)
  }

  /// Moves the files of a change, and writes its beginning and its end to the journal.
  private func make(
    _ change: TakeChange, in directory: borrowing Directory
  ) throws(TakeChangeError) {
    var change = change
    change.at = .seconds(KernelClock.realTime.now.components.seconds)
    let line = change.json.encoded()
    let (size, most) = (line.utf8.count, change.original == nil ? longest : ChangeLog.longestLine)
    let count = change.moves.count
    guard size <= most else { throw .tooMany(count, most: count * most / size) }
    try record(line, in: directory)
    var made = 0
    var failure: TakeChangeError?
    for move in change.moves {
      do {
        try MovedFile(move).make()
        made += 1
      } catch {
        let isTaken = error.errno == .exists
        failure =
          made > 0
          ? .partly(move.from, error) : isTaken ? .taken(move.to) : .unmoved(move.from, error)
        break
      }
    }
    // If there is no room for the end, the next change completes this one.
    do throws(TakeChangeError) {
      try record(ChangeLog.end(of: change, made: made).encoded(), in: directory)
    } catch {
      if failure == nil, made == 0 { throw error }
    }
    if let failure { throw failure }
  }

  private func record(
    _ line: String, in directory: borrowing Directory
  ) throws(TakeChangeError) {
    do {
      let file = try directory.open(
        ChangeLog.name, [.readWrite, .create, .append, .noFollow, .nonBlocking])
      try file.append(line: line)
      try file.synchronizeData()
    } catch {
      throw .system(error)
    }
  }
}
