internal import Audio
internal import CommandLine
internal import Control
internal import Files
internal import Linux
internal import Recording
internal import Store
internal import Takes

/// Makes the parts of dead sessions whole, and never touches one that somebody writes.
struct TakeRecovery {
  let store: SessionStore

  /// The name whose lock the caller holds, so that it says of no other session that it lives.
  let held: SessionName?

  init(_ store: SessionStore, holding name: SessionName? = nil) {
    self.store = store
    held = name
  }

  /// What holds less and no whole frame is a header alone.
  private static let mostEmpty: Int64 = 1 << 16

  /// Throws for a part that somebody writes, and for what is no file.
  func check(_ part: InterruptedPart) throws(Failure) { _ = try open(part) }

  /// Makes a part whole and gives it a name; one without sound is removed.
  func recover(_ part: InterruptedPart) throws(Failure) -> RecoveredTake {
    let opened = try open(part)
    let file: CheckedFile
    let recovery: Recovery
    do throws(SoundFileError) {
      file = try CheckedFile(opened.file, named: part.path)
      recovery = try repair(part, file)
    } catch {
      throw Self.refusal(part, error)
    }
    var take = RecoveredTake(
      part: part.path, removedBytes: recovery.removedBytes, lastWrite: opened.status.modified)
    do throws(SystemError) {
      let directory = try Directory(part.directory)
      if recovery.isEmpty {
        try discard(part, opened.status, directory)
      } else {
        take.result = try TakeNaming(part, recovery, store).publish(file, in: directory)
      }
    } catch {
      throw Failure(
        .outputRefused, Message("cannot recover", on: part.path, why: "\(error)"))
    }
    if let record = part.record, !record.isLeft { store.forget(record) }
    return take
  }

  private func repair(
    _ part: InterruptedPart, _ file: CheckedFile
  ) throws(SoundFileError) -> Recovery {
    guard file.end > 0 else { return .nothing }
    guard let format = part.format(try file.head()) else {
      throw .notRepairable(subject: part.path)
    }
    return try file.recover(as: format, stream: part.record?.file)
  }

  /// A header without sound goes; more that nobody can read stays, and is told.
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
  private struct Opened: ~Copyable {
    let file: Descriptor
    let status: FileStatus
  }

  /// Opens a part and takes its lock, which whoever writes it holds.
  private func open(_ part: InterruptedPart) throws(Failure) -> Opened {
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
      // A filesystem without locks leaves the session's own, which was asked above.
      guard (try? file.lock()) ?? true else { throw SystemError("flock", errno: .wouldBlock) }
      // Somebody may have recovered it while it was opened.
      guard try directory.status(of: part.name.text).inode == status.inode else {
        throw SystemError("open", part.path, errno: .noSuchFile)
      }
      return Opened(file: file, status: status)
    } catch {
      throw refusal(part, error)
    }
  }

  /// The reason why a file is somebody else's: cutting its torn end would change one that is none
  /// of this user's takes.
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
