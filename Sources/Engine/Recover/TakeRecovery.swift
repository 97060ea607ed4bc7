internal import Audio
internal import CommandLine
internal import Control
internal import Files
internal import Linux
internal import Recording
internal import Store
internal import Takes

/// Repairs the parts of dead sessions, and never touches one that is being written.
struct TakeRecovery {
  let store: SessionStore

  /// The name whose lock the caller holds, so that the lock does not mean a live session.
  let held: SessionName?

  /// The reader of the parts, which may come from anybody.
  private let reader: any PartReader

  init(
    _ store: SessionStore, holding name: SessionName? = nil,
    reader: any PartReader = ConfinedPartReader()
  ) {
    self.store = store
    held = name
    self.reader = reader
  }

  /// The size below which a file without a whole frame is only a header.
  private static let mostEmpty: Int64 = 1 << 16

  /// The parts read at a time, far fewer than a process may open; each is open thrice while a child
  /// starts.
  private static let mostTogether = 12

  /// Throws for a part that is being written, and for a path that is not a file.
  func check(_ part: InterruptedPart) throws(Failure) { _ = try open(part) }

  /// Repairs a part and gives it a name; removes one without sound.
  func recover(_ part: InterruptedPart) throws(Failure) -> RecoveredTake {
    let opened = try open(part)
    return try recover(opened, by: try read([opened])[0])
  }

  /// Recovers several parts; the results are in their order.
  ///
  /// Parts with a record are read together. Any other one is read alone: its author may control its
  /// reader, but not that of the next.
  func recover(_ parts: [InterruptedPart]) -> [Result<RecoveredTake, Failure>] {
    var results: [Result<RecoveredTake, Failure>] = []
    while results.count < parts.count {
      let rest = parts[results.count...]
      let known = rest.prefix(Self.mostTogether).prefix { $0.record != nil }
      results += recoverTogether(Array(known.isEmpty ? rest.prefix(1) : known))
    }
    return results
  }

  private func recoverTogether(
    _ parts: [InterruptedPart]
  ) -> [Result<RecoveredTake, Failure>] {
    let opened = parts.map { part in Result { () throws(Failure) in try open(part) } }
    let all = opened.compactMap { try? $0.get() }
    let readings = Result { () throws(Failure) in try read(all) }
    var next = 0
    return opened.map { opened in
      Result { () throws(Failure) in
        let part = try opened.get()
        next += 1
        return try recover(part, by: readings.get()[next - 1])
      }
    }
  }

  /// Reads open parts; frames without a header are counted by the size of the file.
  private func read(_ parts: [OpenPart]) throws(Failure) -> [PartReading] {
    var readings = parts.map(\.known)
    let unread = readings.indices.filter { readings[$0] == nil }
    let answers = unread.isEmpty ? [] : try reader.read(unread.map { parts[$0].unread })
    for (index, answer) in zip(unread, answers) { readings[index] = answer }
    return readings.map { $0 ?? .unread(SoundReading.broken) }
  }

  private func recover(
    _ opened: OpenPart, by reading: PartReading
  ) throws(Failure) -> RecoveredTake {
    let part = opened.part
    let repaired = try repair(opened, by: reading)
    var take = RecoveredTake(
      part: part.path, removedBytes: repaired?.recovery.removedBytes ?? 0,
      lastWrite: opened.status.modified)
    do throws(SystemError) {
      let directory = try Directory(part.directory)
      if let (plan, recovery) = repaired, !recovery.isEmpty {
        let naming = TakeNaming(part, plan, recovery, store)
        take.result = try naming.publish(opened.file, in: directory)
      } else {
        try discard(part, opened.status, directory)
      }
    } catch {
      throw Failure(
        .outputRefused, Message("cannot recover", on: part.path, why: "\(error)"))
    }
    if let record = part.record, !record.isLeft, !hasOther(of: record, in: part.directory) {
      store.forget(record)
    }
    return take
  }

  /// True if another part of the recording lies in a directory that was renamed.
  private func hasOther(of record: SessionRecord, in directory: String) -> Bool {
    (record.closing + [record.part].compactMap(\.self)).contains { part in
      let path = directory.path(of: PartFile.split(part).name)
      return (try? FileStatus(of: path, following: false)) != nil
    }
  }

  /// Repairs the file by the reader's plan; nil where it has no audio.
  private func repair(
    _ opened: OpenPart, by reading: PartReading
  ) throws(Failure) -> (plan: RepairPlan, recovery: Recovery)? {
    let part = opened.part
    switch reading {
    case .plan(let plan):
      do throws(SoundFileError) {
        return (plan, try opened.file.carryOut(plan))
      } catch {
        throw Self.refusal(part, error)
      }
    case .empty: return nil
    case .foreign: throw Self.refusal(part, .notRepairable(subject: part.path))
    case .failed(let errno):
      throw Self.refusal(part, .system(SystemError("pread", part.path, errno: errno)))
    case .unread(let reason):
      throw Failure(
        .notASound,
        Message("cannot recover", on: part.path, why: reason, advice: "it was left as it is"))
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
  private func open(_ part: InterruptedPart) throws(Failure) -> OpenPart {
    if let record = part.record, let writer = store.writer(of: record),
      record.name != held?.text || store.isElsewhere(record)
    {
      throw Self.live(part, writer, store.whereabouts(of: writer))
    }
    do throws(SystemError) {
      let directory = try Directory(part.directory)
      let named = try directory.status(of: part.name.text)
      if let flaw = Self.flaw(of: named), named.kind == .regular {
        throw SystemError("open", flaw, errno: .notPermitted)
      }
      let file = try directory.open(part.name.text, [.readWrite, .noFollow, .nonBlocking])
      let status = try file.status()
      guard status.kind == .regular else {
        throw SystemError("open", part.path, errno: .invalid)
      }
      if let flaw = Self.flaw(of: status) { throw SystemError("open", flaw, errno: .notPermitted) }
      // On a filesystem without locks, the lock of the session's name counts, which was checked
      // above.
      guard (try? file.lock()) ?? true else { throw SystemError("flock", errno: .wouldBlock) }
      // Another process may have recovered it while it was opened.
      guard try directory.status(of: part.name.text).inode == status.inode else {
        throw SystemError("open", part.path, errno: .noSuchFile)
      }
      return try OpenPart(part, file, status, in: directory)
    } catch {
      throw refusal(part, error)
    }
  }

  /// The reason why a file is not this user's take; nil where it is. Cutting the end of a foreign
  /// file would damage it.
  private static func flaw(of status: FileStatus) -> String? {
    if status.owner != Environment.effectiveUser { return "it belongs to user \(status.owner)" }
    return status.links > 1 ? "it has \(status.links) names, and one of them is another file" : nil
  }

  private func refusal(_ part: InterruptedPart, _ error: SystemError) -> Failure {
    switch error.errno {
    case .notPermitted:
      return Failure(
        .outputRefused,
        Message(
          "cannot recover", on: part.path, why: error.subject ?? "\(error.errno)",
          advice: "it was left as it is"))
    case .wouldBlock: return Self.live(part, nil, .unknown)
    case .noSuchFile:
      return Failure(
        .notFound, Message("cannot recover", on: part.path, why: "it is not there any more"))
    case .invalid, .tooManyLinks, .noSuchAddress:
      return Failure(.notASound, Message("cannot recover", on: part.path, why: "it is not a file"))
    default:
      return Failure(
        .outputRefused, Message("cannot recover", on: part.path, why: "\(error.errno)"))
    }
  }

  private static func live(
    _ part: InterruptedPart, _ writer: SessionRecord?, _ place: Whereabouts
  ) -> Failure {
    let who = writer.map { "\(quoted($0.name)) (\(place.words))" } ?? "another process"
    var advice = writer.map { ["\"recorder stop \($0.name)\" ends and saves it"] } ?? []
    if case .host(let host) = place, let writer {
      advice = [
        "\"recorder stop \(writer.name)\" ends and saves it, typed there",
        "where \(quoted(host)) is gone for good: \"recorder recover --from \(printable(host))\"",
      ]
    }
    return Failure(
      .alreadyRecording,
      Message(
        "\(quoted(part.path)) is being written by \(who), and was left alone", advice: advice))
  }

  private static func refusal(_ part: InterruptedPart, _ error: SoundFileError) -> Failure {
    if case .system(let cause) = error {
      return Failure(
        cause.errno == .noSpace || cause.errno == .inputOutput ? .incomplete : .outputRefused,
        Message("cannot recover", on: part.path, why: "\(cause)", advice: "it is still there"))
    }
    let isRaw = TakeName.format(of: part.target) == .raw && part.record?.file == nil
    return Failure(
      .notASound,
      Message(
        "cannot recover", on: part.path,
        why: isRaw
          ? "nothing says what its samples are" : "it does not begin as a recording of ours does",
        advice: isRaw ? "rename it: raw samples need no repair" : "it was left as it is"))
  }
}
