internal import JSON
internal import Linux

/// The content of the journal of changes: the current paths of files, and the changes to undo and
/// to redo.
struct ChangeLog {
  /// The changes to undo and the changes that cannot be undone, latest last. Of consecutive changes
  /// that cannot be undone, only the last is included.
  private(set) var undoable: [TakeChange] = []
  /// The changes that can be redone, the next one last.
  private(set) var redoable: [TakeChange] = []
  /// The last failed attempt at a change, or nil if a change was made after it.
  private(set) var failed: TakeChange?
  /// The current paths and titles of the takes that were changed.
  private(set) var movedPaths: [TakeKey: MovedPaths] = [:]
  /// The last change if the journal does not contain its end, or nil if every change has an end.
  private(set) var unfinished: TakeChange?
  /// The number of the next change.
  private(set) var next = 1
  /// The size of the journal in bytes.
  private var size = 0

  static let name = "changes.jsonl"
  /// The maximum length of a line that is read, in bytes.
  static let longestLine = 1 << 24
  /// The maximum length of a new change, in bytes. The undo and the redo of the change may need
  /// longer lines, up to `longestLine`.
  static let longestChange = longestLine / 8 * 7

  /// Reads the journal in a state directory. The log is empty if the file does not exist.
  init(in directory: borrowing Directory) {
    self.init(directory.content(of: Self.name, upTo: 1 << 28) ?? [])
  }

  /// Reads a journal from its lines.
  init(_ bytes: [UInt8]) {
    size = bytes.count
    for json in JSONValue.lines(of: bytes, upTo: Self.longestLine) { read(json) }
    // A reader does not complete an unfinished change, because the process that makes the change
    // may still be running. Apply only the moves that were already made.
    if let unfinished { apply(unfinished, made: unfinished.progress) }
  }

  init() {}

  private mutating func read(_ json: JSONValue) {
    if let change = TakeChange(json: json) {
      unfinished = change
      next = max(next, change.step + 1)
    } else if let change = unfinished, json["step"]?.integer(in: .ordinals) == change.step,
      let made = json["made"]?.integer(in: 0...change.moves.count)
    {
      apply(change, made: made)
      unfinished = nil
    }
  }

  /// Returns the line that ends a change.
  static func end(of change: TakeChange, made: Int) -> JSONValue {
    ["step": change.step.json, "made": made.json]
  }

  /// Applies the first `made` moves of a change.
  private mutating func apply(_ change: TakeChange, made: Int) {
    guard made > 0 || change.moves.isEmpty else { return }
    for move in change.moves.prefix(made) {
      movedPaths[move.take, default: MovedPaths()].apply(move)
    }
    var whole = change
    whole.moves = Array(change.moves.prefix(made))
    if change.action != .paths { failed = change.action == .fail ? change : nil }
    switch change.action {
    case .trash, .rename:
      undoable.append(whole)
      redoable = []
    case .cancel, .prune, .replace:
      if undoable.last?.action.isFinal == true { undoable.removeLast() }
      undoable.append(whole)
    case .undo:
      guard let index = undoable.lastIndex(where: { $0.step == change.original }) else { return }
      var (undone, rest) = (undoable[index], undoable.remove(at: index))
      // If the undo failed after some files, the change can still be undone for the other files.
      let left = Set(names: change.moves.dropFirst(made).map(\.from))
      undone.moves.removeAll { left.contains(name: $0.to) }
      rest.moves.removeAll { !left.contains(name: $0.to) }
      redoable.append(Self.restored(undone, by: whole.moves))
      if !rest.moves.isEmpty { undoable.insert(rest, at: index) }
    case .redo:
      guard let index = redoable.lastIndex(where: { $0.step == change.original }) else { return }
      var original = redoable.remove(at: index)
      original.moves = whole.moves
      undoable.append(original)
    case .drop:
      undoable.removeAll { $0.step == change.original }
      redoable.removeAll { $0.step == change.original }
    case .fail, .paths: break
    }
  }
}

extension ChangeLog {
  /// Returns an undone change with the paths for a redo. If the old name of a file was in use, the
  /// undo gave the file a new name.
  private static func restored(_ change: TakeChange, by moves: [TakeMove]) -> TakeChange {
    var change = change
    var left = moves.reversed()[...]
    change.moves = change.moves.map { move in
      guard let back = left.first, back.from.isSameName(as: move.to) else { return move }
      left.removeFirst()
      return move.repeated(back.file, from: back.to)
    }
    return change
  }

  /// Returns the move. If another program has moved the file since, the returned move has the
  /// present path of the file.
  ///
  /// - Parameter isMade: whether the move was made. The last known path of the file is `to` if the
  ///   move was made, or else `from`.
  func following(_ move: TakeMove, isMade: Bool) -> TakeMove {
    guard !move.take.identifier.utf8.isEmpty, !(isMade && move.isIntoTrash),
      let paths = movedPaths[move.take], paths.trash == nil,
      let present = paths.path(of: move),
      !present.isSameName(as: isMade ? move.to : move.from),
      let status = try? FileStatus(of: present, following: false), status.kind == .regular
    else { return move }
    let file = FileTrace(status).withBirth(at: present)
    let former = paths.file(of: move) ?? move.file
    guard former.isSame(as: file, at: present) else { return move }
    return move.following(file, to: present, isMade: isMade)
  }

  /// The takes whose files were moved by changes, grouped by the current paths of the files. Files
  /// in the trash are not included.
  var movers: [Path: [TakeKey]] {
    let moved = movedPaths.filter { $0.value.trash == nil && $0.value.path != nil }
    return Dictionary(grouping: moved.keys) { Path(moved[$0]?.path ?? "") }
  }
}

/// The paths of a take whose files were moved.
struct MovedPaths: Hashable, Sendable {
  /// The path of the file, or its last path before it went into the trash.
  var path: String?
  /// The path in the trash, or nil if the file is not in the trash.
  var trash: String?
  /// The path of the sidecar, or its last path before it went into the trash. Nil if the sidecar
  /// was never moved.
  var sidecar: String?
  /// The files of further tracks, by the name of the track.
  var tracks: [Path: MovedTrack] = [:]
  /// The last change of the title, or nil if the take has the title that it was saved with.
  var title: TitleChange?
  /// The facts that identified the file in its last move, or nil if no change has moved the file.
  var file: FileTrace?

  /// Returns true if a change has moved the file, and the file is at `path` and not in the trash.
  func isStill(at path: String) -> Bool { trash == nil && file?.isAt(path) == true }

  /// Returns the path of the file that a move is about, or nil if no change has moved it.
  fileprivate func path(of move: TakeMove) -> String? {
    if move.isSidecar { return sidecar }
    guard let track = move.track else { return path }
    return tracks[Path(track)]?.path
  }

  /// Returns the facts of the file that a move is about. Returns nil for a sidecar, and for a file
  /// that no change has moved.
  fileprivate func file(of move: TakeMove) -> FileTrace? {
    if move.isSidecar { return nil }
    guard let track = move.track else { return file }
    return tracks[Path(track)]?.file
  }

  fileprivate mutating func apply(_ move: TakeMove) {
    let path = move.isIntoTrash ? move.from : move.to
    if let title = move.title { self.title = title }
    if move.isSidecar {
      sidecar = path
    } else if let track = move.track {
      tracks[Path(track)] = MovedTrack(path: path, file: move.file)
    } else {
      self.path = path
      trash = move.isIntoTrash ? move.to : nil
      file = move.file
    }
  }
}

/// The file of a further track that was moved.
struct MovedTrack: Hashable, Sendable {
  /// The path of the file, or its last path before it went into the trash.
  var path: String
  /// The facts that identified the file in its last move.
  var file: FileTrace
}

// MARK: - A shorter journal

extension ChangeLog {
  /// The number of changes to undo, and of changes to redo, that a shortened journal keeps.
  static let kept = 100
  /// The maximum number of files in the changes that a shortened journal keeps. The newest change
  /// is kept even if it has more files. With this limit, the journal stays far below the maximum
  /// length that is read.
  static let mostMoves = 100_000
  /// The maximum size in bytes of a journal that is not shortened. A journal of this size is read
  /// in a few milliseconds.
  private static let long = 1 << 17
  /// The number of moves in one line of paths.
  private static let movesInLine = 200

  /// Rewrites a long journal if the new journal has at most half the size. The caller must hold the
  /// lock of the journal, and must have completed an unfinished change.
  ///
  /// The file is replaced in one step. If the disk has no room for a second file, the journal stays
  /// unchanged.
  mutating func shorten(in directory: borrowing Directory) {
    guard size > Self.long, unfinished == nil else { return }
    let bytes = shortened
    guard bytes.count <= size / 2 else { return }
    try? AtomicFile.removeLeftovers(of: Self.name, in: directory)
    guard (try? AtomicFile.write(bytes.span, to: Self.name, in: directory)) != nil else { return }
    self = ChangeLog(bytes)
  }

  /// The lines of a shorter journal with the same current paths, at most `kept` changes to undo,
  /// and at most `kept` changes to redo. Each change to redo is written together with its undo.
  var shortened: [UInt8] {
    var (lines, step): ([UInt8], Int) = ([], next)
    func add(_ change: TakeChange) {
      lines += Directory.line(change)
      lines += Directory.line(Self.end(of: change, made: change.moves.count))
    }
    func add(_ action: TakeChange.Action, of original: Int? = nil, _ moves: [TakeMove] = []) {
      add(TakeChange(step: step, action: action, original: original, moves: moves))
      step += 1
    }
    let redoable = Self.last(redoable)
    for change in Self.last(undoable) + redoable.reversed() { add(change) }
    for change in redoable { add(.undo, of: change.step) }
    let moves = movedPaths.sorted {
      ($0.key.identifier, $0.key.segment) < ($1.key.identifier, $1.key.segment)
    }
    .flatMap { $0.value.moves(of: $0.key) }
    for start in stride(from: 0, to: moves.count, by: Self.movesInLine) {
      add(.paths, Array(moves[start..<min(moves.count, start + Self.movesInLine)]))
    }
    if let failed { add(failed) }
    return lines
  }

  /// Returns the changes that a shortened journal keeps: the latest of the given changes.
  private static func last(_ changes: [TakeChange]) -> ArraySlice<TakeChange> {
    var moves = 0
    let older = changes.suffix(kept).dropLast().reversed().prefix { change in
      moves += change.moves.count
      return moves <= mostMoves
    }
    return changes.suffix(older.count + 1)
  }
}

extension MovedPaths {
  /// Returns moves that lead to these paths.
  fileprivate func moves(of take: TakeKey) -> [TakeMove] {
    var moves: [TakeMove] = []
    if let path, let file {
      let origin = trash == nil ? nil : ""
      moves.append(
        TakeMove(
          take: take, from: path, to: trash ?? path, origin: origin, title: title, file: file))
    }
    if let sidecar {
      moves.append(
        TakeMove(
          take: take, isSidecar: true, from: sidecar, to: sidecar, file: FileTrace()))
    }
    for (track, moved) in tracks.sorted(by: { $0.key.text < $1.key.text }) {
      moves.append(
        TakeMove(
          take: take, track: track.text, from: moved.path, to: moved.path, file: moved.file))
    }
    return moves
  }
}

extension TakeChange {
  /// The number of moves that were made, counted from the first move to a move that was not made. A
  /// move was made if its file is at the new path.
  var progress: Int { moves.prefix { $0.file.isAt($0.to) }.count }
}
