internal import Audio
package import Control
internal import Files
internal import Linux
package import Store

/// Repairs the parts of dead sessions. It never changes a part that is being written.
package struct TakeRecovery {
  private let store: MachineStore
  /// The name whose lock the caller holds. For this name, a held lock does not mean a live session.
  private let held: SessionName?
  private let reader: any PartReader
  private let host: any TakeHost

  /// A recovery of parts, whether a store knows them or not.
  ///
  /// - Parameters:
  ///   - name: the name whose lock the caller holds, or nil for none.
  ///   - reader: the reader of the parts, which may come from any user.
  ///   - host: the texts for the marks and the results.
  package init(
    _ store: MachineStore, holding name: SessionName? = nil, reader: any PartReader,
    host: any TakeHost
  ) {
    self.store = store
    held = name
    self.reader = reader
    self.host = host
  }

  /// The size below which a file without a whole frame counts as a header only.
  private static let mostEmpty: Int64 = 1 << 16

  /// The most parts to read at once. Each is open three times while a child starts, so the number
  /// is far below the limit of open files.
  private static let mostTogether = 12

  /// Throws if the part is being written, or cannot be opened as a file of this user.
  package func check(_ part: InterruptedPart) throws { _ = try open(part) }

  /// Repairs a part and gives it its final name, or removes it if it has no sound.
  package func recover(_ part: InterruptedPart) throws -> RecoveredTake {
    let opened = try open(part)
    return try recover(opened, by: try read([opened])[0])
  }

  /// Recovers several parts; returns the results in the same order.
  ///
  /// Parts with a record are read together. Any other part is read alone: its author may control
  /// the reader of that part, but not the reader of the next part.
  package func recover(_ parts: [InterruptedPart]) -> [Result<RecoveredTake, any Error>] {
    var results: [Result<RecoveredTake, any Error>] = []
    while results.count < parts.count {
      let rest = parts[results.count...]
      let known = rest.prefix(Self.mostTogether).prefix { $0.record != nil }
      results += recoverTogether(Array(known.isEmpty ? rest.prefix(1) : known))
    }
    return results
  }

  private func recoverTogether(_ parts: [InterruptedPart]) -> [Result<RecoveredTake, any Error>] {
    let opened = parts.map { part in Result { try open(part) } }
    let all = opened.compactMap { try? $0.get() }
    let readings = Result { try read(all) }
    var next = 0
    var done: [FileStatus] = []
    return opened.map { opened in
      Result { () throws in
        let part = try opened.get()
        next += 1
        let take = try recover(part, by: readings.get()[next - 1])
        done.append(part.status)
        if let record = part.part.record, store.deadSessions.isComplete(record, without: done) {
          store.deadSessions.forget(record)
        }
        return take
      }
    }
  }

  /// Reads open parts. The frames of raw samples are counted by the size of the file.
  private func read(_ parts: [OpenPart]) throws -> [PartReading] {
    var readings = parts.map(\.known)
    let unread = readings.indices.filter { readings[$0] == nil }
    let answers = unread.isEmpty ? [] : try reader.read(unread.map { parts[$0].unread })
    for (index, answer) in zip(unread, answers) { readings[index] = answer }
    return readings.map { $0 ?? .unread(nil) }
  }

  private func recover(_ opened: OpenPart, by reading: PartReading) throws -> RecoveredTake {
    let part = opened.part
    let repaired = try repair(opened, by: reading)
    var take = RecoveredTake(
      part: part.path, removedBytes: repaired?.recovery.removedBytes ?? 0,
      lastWrite: opened.status.modified)
    try mapError({ TakeError.recovery(part.path, .unsaved("\($0)")) }) {
      let directory = try Directory(part.directory)
      if let (plan, recovery) = repaired, !recovery.isEmpty {
        let naming = TakeNaming(part, plan, recovery, store, host)
        take.result = try naming.publish(opened.file, in: directory)
      } else {
        try discard(part, opened.status, directory)
      }
    }
    return take
  }

  /// Repairs the file according to the reader's plan; returns nil if it has no audio.
  private func repair(
    _ opened: OpenPart, by reading: PartReading
  ) throws -> (plan: RepairPlan, recovery: Recovery)? {
    let part = opened.part
    switch reading {
    case .plan(let plan):
      let recovery = try mapError({
        TakeError.recovery(part.path, Self.obstacle(repairing: part, $0))
      }) { () throws(SoundFileError) in
        try plan.carryOut(on: opened.file)
      }
      return (plan, recovery)
    case .empty: return nil
    case .foreign:
      let error = SoundFileError.notRepairable(subject: part.path)
      throw TakeError.recovery(part.path, Self.obstacle(repairing: part, error))
    case .failed(let errno):
      throw TakeError.recovery(
        part.path, .unrepaired(SystemError("pread", part.path, errno: errno)))
    case .unread(let reason): throw TakeError.recovery(part.path, .unread(reason))
    }
  }

  /// Removes a part without sound. Throws if the file is larger than a header, so that unreadable
  /// audio is kept.
  private func discard(
    _ part: InterruptedPart, _ status: FileStatus, _ directory: borrowing Directory
  ) throws(SystemError) {
    guard status.size < Self.mostEmpty else {
      throw SystemError("recover", part.path, errno: .inputOutput)
    }
    try directory.remove(part.name.text)
    try? directory.remove(part.name.journal)
    try directory.synchronize()
  }
}

extension TakeRecovery {
  /// Opens a part and takes the lock that its writer would hold.
  private func open(_ part: InterruptedPart) throws -> OpenPart {
    if let record = part.record, let writer = store.deadSessions.writer(of: record),
      record.name != held?.text || store.sessions.isElsewhere(record)
    {
      throw TakeError.recovery(part.path, .live(writer, store.sessions.location(of: writer)))
    }
    return try lock(part).mapError { TakeError.recovery(part.path, $0) }.get()
  }

  private func lock(_ part: InterruptedPart) -> Result<OpenPart, RecoveryObstacle> {
    do {
      let directory = try Directory(part.directory)
      let named = try directory.status(of: part.name.text)
      if named.kind == .regular, let flaw = Self.flaw(of: named) { return .failure(flaw) }
      let file = try directory.open(part.name.text, [.readWrite, .noFollow, .nonBlocking])
      let status = try file.status()
      guard status.kind == .regular else { return .failure(.notAFile) }
      if let flaw = Self.flaw(of: status) { return .failure(flaw) }
      // On a filesystem without locks, the lock of the session's name decides; it was checked
      // before. A killed session holds the lock until the kernel has closed its files, so wait a
      // moment.
      let patience = part.record == nil ? Duration.zero : .seconds(1)
      guard (try? file.lock(waitingUpTo: patience)) ?? true else {
        return .failure(.live(nil, .unknown))
      }
      // Another process may have recovered the part while it was being opened.
      guard try directory.status(of: part.name.text).inode == status.inode else {
        return .failure(.gone)
      }
      return .success(try OpenPart(part, file, status, in: directory))
    } catch {
      return .failure(Self.obstacle(opening: (error as? SystemError)?.errno ?? .inputOutput))
    }
  }

  /// Returns the reason why a file cannot be a take of this user, or nil if it can. Cutting the end
  /// of another file would damage it.
  private static func flaw(of status: FileStatus) -> RecoveryObstacle? {
    if status.owner != Environment.effectiveUser { return .foreignOwner(status.owner) }
    return status.links > 1 ? .severalNames(status.links) : nil
  }

  private static func obstacle(opening errno: Errno) -> RecoveryObstacle {
    switch errno {
    case .wouldBlock: .live(nil, .unknown)
    case .noSuchFile: .gone
    case .invalid, .tooManyLinks, .noSuchAddress: .notAFile
    default: .unopened(errno)
    }
  }

  private static func obstacle(
    repairing part: InterruptedPart, _ error: SoundFileError
  ) -> RecoveryObstacle {
    if case .system(let cause) = error { return .unrepaired(cause) }
    let isRaw = TakeName.format(of: part.target) == .raw && part.record?.file == nil
    return isRaw ? .unknownSamples : .unknownFormat
  }
}

extension TakeRecovery {
  /// The most bytes to read for recovery at a start. A later recovery handles the remaining parts.
  private static let mostScanned: Int64 = 1 << 28

  /// Recovers the parts of dead sessions for the file at `path`. A start calls this before it
  /// begins to record.
  func clear(_ path: String) -> [RecoveryNews] {
    let (directory, target) = PartFile.split(path)
    store.announcements.addTakes(holding: held)
    var (left, chosen, news) = (Self.mostScanned, [InterruptedPart](), [RecoveryNews]())
    for part in PartSearch(store: store).parts(of: target, in: directory) {
      switch choice(of: part, reading: &left) {
      case .none: break
      case .left(let why): news.append(why)
      case .recovered: chosen.append(part)
      }
    }
    news += recover(chosen).compactMap(Self.news)
    if let opened = try? Directory(directory) {
      try? AtomicFile.removeLeftovers(of: target + ".json", in: opened)
    }
    return news
  }

  /// Removes the headers of a session that died before its first frame. Its record names no part
  /// yet.
  func clearStarts(of record: SessionRecord) {
    _ = recover(PartSearch(store: store).starts(of: record))
  }

  /// The choice for a part at a start.
  private enum Choice {
    case none, recovered
    /// The part is left unchanged, for this reason.
    case left(RecoveryNews)
  }

  private func choice(of part: InterruptedPart, reading left: inout Int64) -> Choice {
    guard let status = try? FileStatus(of: part.path, following: false) else { return .none }
    guard status.owner == Environment.effectiveUser else {
      return .left(.foreign(part.path, owner: status.owner))
    }
    let isQuick = part.record?.output.map(\.format.isUncompressed) ?? false
    if !isQuick { left -= status.size }
    return left < 0 ? .left(.left(part.path)) : .recovered
  }

  private static func news(_ outcome: Result<RecoveredTake, any Error>) -> RecoveryNews? {
    do {
      guard let result = try outcome.get().result, let path = result.path else { return nil }
      return .saved(path, result.duration)
    } catch TakeError.recovery(_, .live) {
      return nil
    } catch {
      return .failed(error)
    }
  }
}

/// The result of recovering the part of a dead session.
package struct RecoveredTake: Equatable, Sendable {
  /// The path of the part.
  package let part: String
  /// The result of the take, or nil if the part had no sound and was removed.
  package var result: RecordingResult?
  /// The number of bytes after the last whole frame, which were cut off.
  package var removedBytes: Int64 = 0
  /// The time of the last write to the part, since 1970.
  package var lastWrite: Duration
}

/// News for the user about a dead session's part, found at a start.
package enum RecoveryNews: Sendable {
  /// The take was saved at this path and has this length.
  case saved(String, Duration)
  /// The part at this path is too large to be recovered now.
  case left(String)
  /// The part at this path belongs to another user.
  case foreign(String, owner: UInt32)
  /// The part could not be recovered.
  case failed(any Error)
}
