internal import Audio
package import Control
internal import Files
internal import Linux
internal import Recording
package import Store

/// Repairs the parts of dead sessions. It never changes a part that is being written.
package struct TakeRecovery {
  private let store: MachineStore
  /// The session name that the caller has locked, or nil for none. The lock of a name usually shows
  /// a live session. But here the caller has the lock, so a record with this name belongs to a dead
  /// session.
  private let held: SessionName?
  private let reader: any PartReader
  private let host: any TakeHost

  /// A recovery of parts, with or without a record in the store.
  ///
  /// - Parameters:
  ///   - name: the session name that the caller has locked, or nil for none.
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

  /// The size below which a file without a whole frame counts as a header without audio.
  private static let mostEmpty: Int64 = 1 << 16

  /// The largest number of parts to read together. While a child process starts, each part is open
  /// three times, so a larger number could exceed the limit of open files.
  private static let mostTogether = 12

  /// Throws if the part is being written, or cannot be opened as a file of this user.
  package func check(_ part: InterruptedPart) throws { _ = try open(part) }

  /// Repairs parts and gives them their final names. A part without sound is removed. Returns the
  /// results in the same order.
  ///
  /// Parts with a record and a single file are read together. A part without a record may come from
  /// another user, and its content may take control of the process that reads it. So that process
  /// reads no other part.
  package func recover(_ parts: [InterruptedPart]) -> [Result<RecoveredTake, any Error>] {
    var results: [Result<RecoveredTake, any Error>] = []
    while results.count < parts.count {
      let rest = parts[results.count...]
      // A part with a file for each track is read alone, because it may have many files.
      let known = rest.prefix(Self.mostTogether).prefix {
        $0.record != nil && $0.fileTracks.isEmpty
      }
      results += recoverTogether(Array(known.isEmpty ? rest.prefix(1) : known))
    }
    return results
  }

  private func recoverTogether(_ parts: [InterruptedPart]) -> [Result<RecoveredTake, any Error>] {
    let opened = parts.map { part in Result { try open(part) } }
    let all = opened.compactMap { try? $0.get() }
    let readings = Result { try reader.read(parts: all) }
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

  private func recover(_ opened: OpenPart, by readings: [PartReading]) throws -> RecoveredTake {
    let part = opened.part
    return try recovering(part, { Self.obstacle(repairing: part, $0) }) {
      let repaired = try repair(opened, by: readings)
      var take = RecoveredTake(
        part: part.path, removedBytes: repaired.reduce(0) { $0 + $1.recovery.removedBytes },
        lastWrite: opened.status.modified,
        wasKilled: part.record.map { $0.host.boot != nil && $0.host.boot == Host.current.boot }
          ?? false)
      let directory = try Directory(part.directory)
      if repaired.isEmpty {
        take.lostMarks = part.events(upTo: 0).compactMap { event in
          if case .mark(let text) = event.event { text } else { nil }
        }
        try discard(opened, directory)
      } else {
        let naming = TakeNaming(part, repaired, store, host)
        take.result = try naming.publish(in: directory)
        let names = repaired.map(\.file.name)
        for file in opened.files where file.status.size < Self.mostEmpty {
          if names.contains(where: { $0.isSameName(as: file.name) }) { continue }
          try? directory.remove(file.name)
        }
      }
      return take
    }
  }

  /// Runs a step of the recovery of a part. Throws an error of the step as an obstacle, with the
  /// path of the part.
  ///
  /// - Parameter obstacle: returns the obstacle for an error that is not a `RecoveryObstacle`.
  private func recovering<Value>(
    _ part: InterruptedPart, _ obstacle: (any Error) -> RecoveryObstacle,
    _ step: () throws -> Value
  ) throws(TakeError) -> Value {
    try mapError(
      { (error: any Error) in
        TakeError.recovery(part.path, error as? RecoveryObstacle ?? obstacle(error))
      }, step)
  }

  /// Repairs the files according to the reader's plans. Returns the files with audio, or no file if
  /// the file of the first track has no audio.
  ///
  /// If a session dies right after its start, some of its files may have no audio. If all files are
  /// small in this case, the take counts as empty.
  private func repair(_ opened: OpenPart, by readings: [PartReading]) throws -> [RepairedFile] {
    var plans: [(file: OpenPartFile, plan: RepairPlan)] = []
    for (file, reading) in zip(opened.files, readings) {
      // Without a record, a further file may not belong to the take, so it is skipped if it cannot
      // be repaired.
      if !plans.isEmpty, opened.part.record == nil, reading.repair == nil { continue }
      guard let plan = try plan(opened.part, by: reading), plan.frames != 0 else { continue }
      plans.append((file, plan))
    }
    let isWhole = plans.count == opened.files.count
    let isSmall = opened.files.allSatisfy { $0.file.end < Self.mostEmpty }
    guard plans.first?.file.name.isSameName(as: opened.first.name) == true, isWhole || !isSmall
    else { return [] }
    return try plans.map { file, plan in
      RepairedFile(file: file, plan: plan, recovery: try plan.carryOut(on: file.file))
    }.filter { !$0.recovery.isEmpty }
  }

  /// Returns the repair plan in a reading, or nil if the file has no audio.
  private func plan(_ part: InterruptedPart, by reading: PartReading) throws -> RepairPlan? {
    switch reading {
    case .plan(let plan): return plan
    case .empty: return nil
    case .foreign: throw SoundFileError.notRepairable(subject: part.path, .foreignHeader)
    case .failed(let errno):
      throw RecoveryObstacle.unrepaired(SystemError("pread", part.path, errno: errno))
    case .unread(let reason): throw RecoveryObstacle.unread(reason)
    }
  }

  /// Removes a part without sound. Throws if a file is larger than a header, so that unreadable
  /// audio is kept. The file of the first track is removed last, because it leads to the other
  /// files.
  private func discard(
    _ opened: OpenPart, _ directory: borrowing Directory
  ) throws(SystemError) {
    guard opened.files.allSatisfy({ $0.status.size < Self.mostEmpty }) else {
      throw SystemError("read", opened.part.path, errno: .inputOutput)
    }
    for file in opened.files.reversed() { try directory.remove(file.name) }
    opened.part.removeJournal()
    try directory.synchronize()
  }
}

extension TakeRecovery {
  /// Opens a part and takes the lock that its writer would hold.
  private func open(_ part: InterruptedPart) throws -> OpenPart {
    try recovering(part, Self.obstacle(opening:)) {
      if let record = part.record, let writer = store.deadSessions.writer(of: record),
        held.map({ record.name.isSameName(as: $0.text) }) != true
          || store.sessions.isElsewhere(record)
      {
        throw RecoveryObstacle.live(writer, store.sessions.location(of: writer))
      }
      return try lock(part)
    }
  }

  private func lock(_ part: InterruptedPart) throws -> OpenPart {
    let directory = try Directory(part.directory)
    let named = try directory.status(of: part.name.text)
    if named.kind == .regular, let flaw = Self.flaw(of: named) { throw flaw }
    let file = try directory.open(part.name.text, [.readWrite, .noFollow, .nonBlocking])
    let status = try file.status()
    guard status.kind == .regular else { throw RecoveryObstacle.notAFile }
    if let flaw = Self.flaw(of: status) { throw flaw }
    // On a filesystem without locks, only the lock of the session's name shows a live session.
    // `open` has checked that lock. A killed session holds the lock of its part until the kernel
    // has closed its files, so wait a moment.
    let patience = part.record == nil ? Duration.zero : .seconds(1)
    guard (try? file.lock(waitingUpTo: patience)) ?? true else {
      throw RecoveryObstacle.live(nil, .unknown)
    }
    // Another process may have recovered the part while it was being opened.
    guard try directory.status(of: part.name.text).inode == status.inode else {
      throw RecoveryObstacle.gone
    }
    return try OpenPart(part, file, status, in: directory)
  }

  /// Returns the reason why a file must not be repaired, or nil if it may be repaired. A repair
  /// cuts the end of a file, so it would damage a file that is not a take of this user.
  private static func flaw(of status: FileStatus) -> RecoveryObstacle? {
    if status.owner != Environment.effectiveUser { return .foreignOwner(status.owner) }
    return status.links > 1 ? .severalNames(status.links) : nil
  }

  private static func obstacle(opening error: any Error) -> RecoveryObstacle {
    let errno = (error as? SystemError)?.errno ?? .inputOutput
    return switch errno {
    case .wouldBlock: .live(nil, .unknown)
    case .noSuchFile: .gone
    case .invalid, .tooManyLinks, .noSuchAddress: .notAFile
    default: .unopened(errno)
    }
  }

  private static func obstacle(
    repairing part: InterruptedPart, _ error: any Error
  ) -> RecoveryObstacle {
    guard let error = error as? SoundFileError else { return .unsaved("\(error)") }
    if case .system(let cause) = error { return .unrepaired(cause) }
    let isRaw = TakeName.format(of: part.target) == .raw && part.record?.file == nil
    return isRaw ? .unknownSamples : .unknownFormat
  }
}

extension TakeRecovery {
  /// The largest number of bytes that a start reads for recovery. A later recovery handles the
  /// remaining parts.
  private static let mostScanned: Int64 = 1 << 28

  /// Recovers the parts of dead sessions for the file at `path`. A start calls this before it
  /// begins to record.
  func clear(_ path: String) -> [RecoveryNews] {
    let (directory, target) = path.pathParts
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

  /// Removes the parts of a session that died before its record named them. These parts contain
  /// only headers.
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
