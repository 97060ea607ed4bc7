internal import Audio
package import Control
internal import Files
internal import Linux
package import Store

/// Repairs the parts of dead sessions, and never touches one that is being written.
package struct TakeRecovery {
  private let store: SessionStore
  /// The name whose lock the caller holds, so that the lock does not mean a live session.
  private let held: SessionName?
  private let reader: any PartReader
  private let host: any TakeHost

  /// A recovery of the parts that a store knows, and of any others.
  ///
  /// - Parameters:
  ///   - name: the name whose lock the caller holds; nil for none.
  ///   - reader: the reader of the parts, which may come from anybody.
  ///   - host: the words of the marks and of the results.
  package init(
    _ store: SessionStore, holding name: SessionName? = nil, reader: any PartReader,
    host: any TakeHost
  ) {
    self.store = store
    held = name
    self.reader = reader
    self.host = host
  }

  /// The size below which a file without a whole frame is only a header.
  private static let mostEmpty: Int64 = 1 << 16

  /// The parts read at a time, far fewer than a process may open; each is open thrice while a child
  /// starts.
  private static let mostTogether = 12

  /// Throws for a part that is being written, and for a path that is not a file.
  package func check(_ part: InterruptedPart) throws(TakeError) { _ = try open(part) }

  /// Repairs a part and gives it a name; removes one without sound.
  package func recover(_ part: InterruptedPart) throws(TakeError) -> RecoveredTake {
    let opened = try open(part)
    return try recover(opened, by: try read([opened])[0])
  }

  /// Recovers several parts; the results are in their order.
  ///
  /// Parts with a record are read together. Any other one is read alone: its author may control its
  /// reader, but not that of the next.
  package func recover(_ parts: [InterruptedPart]) -> [Result<RecoveredTake, TakeError>] {
    var results: [Result<RecoveredTake, TakeError>] = []
    while results.count < parts.count {
      let rest = parts[results.count...]
      let known = rest.prefix(Self.mostTogether).prefix { $0.record != nil }
      results += recoverTogether(Array(known.isEmpty ? rest.prefix(1) : known))
    }
    return results
  }

  private func recoverTogether(
    _ parts: [InterruptedPart]
  ) -> [Result<RecoveredTake, TakeError>] {
    let opened = parts.map { part in Result { () throws(TakeError) in try open(part) } }
    let all = opened.compactMap { try? $0.get() }
    let readings = Result { () throws(TakeError) in try read(all) }
    var next = 0
    var done: [FileStatus] = []
    return opened.map { opened in
      Result { () throws(TakeError) in
        let part = try opened.get()
        next += 1
        let take = try recover(part, by: readings.get()[next - 1])
        done.append(part.status)
        if let record = part.part.record, store.isComplete(record, without: done) {
          store.forget(record)
        }
        return take
      }
    }
  }

  /// Reads open parts; frames without a header are counted by the size of the file.
  private func read(_ parts: [OpenPart]) throws(TakeError) -> [PartReading] {
    var readings = parts.map(\.known)
    let unread = readings.indices.filter { readings[$0] == nil }
    do throws(SystemError) {
      let answers = unread.isEmpty ? [] : try reader.read(unread.map { parts[$0].unread })
      for (index, answer) in zip(unread, answers) { readings[index] = answer }
    } catch {
      throw .recovery(parts[unread[0]].part.path, .noReader(error))
    }
    return readings.map { $0 ?? .unread(nil) }
  }

  private func recover(
    _ opened: OpenPart, by reading: PartReading
  ) throws(TakeError) -> RecoveredTake {
    let part = opened.part
    let repaired = try repair(opened, by: reading)
    var take = RecoveredTake(
      part: part.path, removedBytes: repaired?.recovery.removedBytes ?? 0,
      lastWrite: opened.status.modified)
    do throws(SystemError) {
      let directory = try Directory(part.directory)
      if let (plan, recovery) = repaired, !recovery.isEmpty {
        let naming = TakeNaming(part, plan, recovery, store, host)
        take.result = try naming.publish(opened.file, in: directory)
      } else {
        try discard(part, opened.status, directory)
      }
    } catch {
      throw .recovery(part.path, .unsaved(error))
    }
    return take
  }

  /// Repairs the file by the reader's plan; nil where it has no audio.
  private func repair(
    _ opened: OpenPart, by reading: PartReading
  ) throws(TakeError) -> (plan: RepairPlan, recovery: Recovery)? {
    let part = opened.part
    switch reading {
    case .plan(let plan):
      do throws(SoundFileError) {
        return (plan, try opened.file.carryOut(plan))
      } catch {
        throw .recovery(part.path, Self.obstacle(repairing: part, error))
      }
    case .empty: return nil
    case .foreign:
      let error = SoundFileError.notRepairable(subject: part.path)
      throw .recovery(part.path, Self.obstacle(repairing: part, error))
    case .failed(let errno):
      throw .recovery(part.path, .unrepaired(SystemError("pread", part.path, errno: errno)))
    case .unread(let reason): throw .recovery(part.path, .unread(reason))
    }
  }

  /// Removes a header without sound; throws for a larger file that cannot be read, which stays.
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
  /// Opens a part and takes its lock, which its writer would hold.
  private func open(_ part: InterruptedPart) throws(TakeError) -> OpenPart {
    if let record = part.record, let writer = store.writer(of: record),
      record.name != held?.text || store.isElsewhere(record)
    {
      throw .recovery(part.path, .live(writer, store.whereabouts(of: writer)))
    }
    do throws(RecoveryObstacle) {
      return try lock(part).get()
    } catch {
      throw .recovery(part.path, error)
    }
  }

  private func lock(_ part: InterruptedPart) -> Result<OpenPart, RecoveryObstacle> {
    do throws(SystemError) {
      let directory = try Directory(part.directory)
      let named = try directory.status(of: part.name.text)
      if named.kind == .regular, let flaw = Self.flaw(of: named) { return .failure(flaw) }
      let file = try directory.open(part.name.text, [.readWrite, .noFollow, .nonBlocking])
      let status = try file.status()
      guard status.kind == .regular else { return .failure(.notAFile) }
      if let flaw = Self.flaw(of: status) { return .failure(flaw) }
      // On a filesystem without locks, the lock of the session's name counts, which was checked
      // before.
      // A killed session holds the lock until the kernel has closed its files.
      let patience = part.record == nil ? Duration.zero : .seconds(1)
      guard (try? file.lock(waitingUpTo: patience)) ?? true else {
        return .failure(.live(nil, .unknown))
      }
      // Another process may have recovered it while it was opened.
      guard try directory.status(of: part.name.text).inode == status.inode else {
        return .failure(.gone)
      }
      return .success(try OpenPart(part, file, status, in: directory))
    } catch {
      return .failure(Self.obstacle(opening: error.errno))
    }
  }

  /// The reason why a file is not this user's take; nil where it is. Cutting the end of a foreign
  /// file would damage it.
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
  /// The most bytes that a start recovers before it begins; the rest is left to a later recovery.
  private static let mostScanned: Int64 = 1 << 28

  /// Recovers the parts of dead sessions for the file at `path`; a start does so before it begins.
  func clear(_ path: String) -> [RecoveryNews] {
    let (directory, target) = PartFile.split(path)
    store.settle(holding: held)
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

  /// Removes the headers of a session that died before its first frame; its record names no part
  /// yet.
  func clearStarts(of record: SessionRecord) {
    _ = recover(PartSearch(store: store).starts(of: record))
  }

  /// The fate of a part at a start.
  private enum Choice {
    case none, recovered
    /// The part is left unchanged, with the reason.
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

  private static func news(_ outcome: Result<RecoveredTake, TakeError>) -> RecoveryNews? {
    do throws(TakeError) {
      guard let result = try outcome.get().result, let path = result.path else { return nil }
      return .saved(path, result.duration)
    } catch {
      if case .recovery(_, .live) = error { return nil }
      return .failed(error)
    }
  }
}

/// The outcome for the part of a dead session.
package struct RecoveredTake: Equatable, Sendable {
  /// The path of the part.
  package let part: String
  /// The result of the take; nil where the part had no sound and was removed.
  package var result: RecordingResult?
  /// The bytes after the last whole frame, which were cut off.
  package var removedBytes: Int64 = 0
  /// The time of the last write to the part, since 1970.
  package var lastWrite: Duration
}

/// The fate of a dead session's part that a start found, for the user.
package enum RecoveryNews: Sendable {
  /// The take was saved under a path, with this length.
  case saved(String, Duration)
  /// The part at a path is too long to be read now.
  case left(String)
  /// The part at a path belongs to another user.
  case foreign(String, owner: UInt32)
  /// The part could not be recovered.
  case failed(TakeError)
}
