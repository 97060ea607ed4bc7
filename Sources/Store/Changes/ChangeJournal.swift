internal import JSON
internal import Linux

/// The journal of changes, locked for one change.
///
/// The beginning of a change is written to the journal before the files are moved, and the end
/// after the moves. If the process dies between the beginning and the end, the next process that
/// opens the journal completes the change: it moves the remaining files if at least one file was
/// moved.
struct ChangeJournal: ~Copyable {
  /// The content of the journal before the new change.
  let log: ChangeLog
  private let directory: Directory
  private let lock: FileLock
  private let longest: Int

  private static let lockName = "changes.lock"
  /// The time limit for the lock. Even a change of many takes ends sooner.
  private static let patience = Duration.seconds(5)

  /// Locks the journal in a state directory, and completes an unfinished change. `longest` is the
  /// maximum length of a new change in bytes.
  init(in state: String, longest: Int) throws {
    let directory = try PrivateDirectory.make(at: state)
    let lock = try FileLock.take(Self.lockName, in: directory, waitingUpTo: Self.patience)
    guard let lock else { throw TakeChangeError.busy }
    var log = ChangeLog(in: directory)
    if let unfinished = log.unfinished {
      try Self.end(unfinished, in: directory)
      log = ChangeLog(in: directory)
    }
    log.shorten(in: directory)
    self.log = log
    self.longest = longest
    self.directory = directory
    self.lock = lock
  }

  /// Returns a new change with the next number. `original` is the earlier change that the new
  /// change undoes, redoes or drops.
  func next(
    _ action: TakeChange.Action, of original: TakeChange? = nil, _ moves: [TakeMove] = []
  ) -> TakeChange {
    TakeChange(step: log.next, action: action, original: original?.step, moves: moves)
  }

  /// Moves the files of a change, and writes its beginning and its end to the journal.
  func make(_ change: TakeChange) throws {
    var change = change
    change.at = .seconds(KernelClock.realTime.now.components.seconds)
    let line = change.json.encoded()
    let size = line.utf8.count
    let count = change.moves.count
    let most = change.original == nil ? longest : ChangeLog.longestLine
    guard size <= most else {
      throw TakeChangeError.tooMany(count, most: count * most / size)
    }
    try Self.record(line, in: directory)
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
          ? .partly(move.from, error, change.action)
          : isTaken ? .taken(move.to) : .unmoved(move.from, error)
        break
      }
    }
    let end = ChangeLog.end(of: change, made: made).encoded()
    guard failure != nil || made > 0 else { return try Self.record(end, in: directory) }
    // If the disk has no room for the end of this change, the next process that opens the journal
    // writes this end.
    try? Self.record(end, in: directory)
    if let failure { throw failure }
  }

  /// Completes a change whose process died.
  private static func end(
    _ change: TakeChange, in directory: borrowing Directory
  ) throws(SystemError) {
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

  private static func record(
    _ line: String, in directory: borrowing Directory
  ) throws(SystemError) {
    try directory.append(line: line, to: ChangeLog.name).synchronizeData()
  }
}
