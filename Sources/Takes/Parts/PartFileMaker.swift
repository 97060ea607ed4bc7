package import Control
package import Linux
internal import Store

/// Makes the parts of a take. No two takes can write to the same file.
package struct PartFileMaker {
  let plan: RecordingPlan
  /// The store, which shows whether another recording writes to the file.
  let store: MachineStore

  /// Opens the output directory, and creates it if it does not exist. Returns nil for stdout.
  /// Throws if another file has the final name, unless the take's file gets a free number instead.
  package static func directory(for plan: OutputPlan) throws -> Directory? {
    guard let path = plan.path else { return nil }
    let (parent, name) = path.pathParts
    let directory = try open(parent, for: path)
    // The files of several tracks get the next free number.
    let isRefused = !plan.isSeries && (plan.tracks.isEmpty || plan.replaces)
    if isRefused, let status = try? directory.status(of: name),
      let taken = TakenName(status, replacing: plan.replaces)
    {
      throw TakeError.output(path, .taken(taken))
    }
    return directory
  }

  static func open(_ parent: String, for path: String) throws -> Directory {
    try mapError({ (error: SystemError) in TakeError.output(path, .failed(error.errno)) }) {
      () throws(SystemError) in
      try Directory.makeAll(parent)
      return try Directory(resolving: parent)
    }
  }

  /// Makes the part for the file with this name and number. Existing parts of dead sessions are not
  /// changed.
  func make(
    in directory: consuming Directory, _ name: String, number: Int = 1,
    at position: RecordedPart.TakePosition = RecordedPart.TakePosition()
  ) throws -> PartFile {
    // With the lock of the directory, the later of two simultaneous starts finds the part of the
    // earlier start. If the directory cannot be locked, the later start may miss that part.
    let turn = try? FileLock(on: directory, waitingUpTo: .seconds(1))
    let part = try makeAlone(in: directory, name, number, position)
    _ = consume turn
    return part
  }

  private func makeAlone(
    in directory: consuming Directory, _ name: String, _ number: Int,
    _ position: RecordedPart.TakePosition
  ) throws -> PartFile {
    let numbering = NumberedName(name)
    let target = numbering.name(number)
    let longest = name.utf8.count + (plan.output.tracks.map(\.utf8.count).max() ?? 0)
    guard longest <= PartName.longestTarget else {
      throw TakeError.output(
        directory.path(of: target), .nameTooLong(most: PartName.longestTarget))
    }
    try refuseLive(target, in: directory)
    var attempt = 1
    while true {
      let part = PartName(of: target, attempt).text
      do throws(SystemError) {
        let file = try directory.open(part, [.readWrite, .create, .exclusive, .noFollow])
        let identity = try file.status()
        let lock = (try? FileLock.take(part, in: directory)) ?? nil
        // The part is new, so an existing journal belongs to an earlier take.
        try? directory.remove(part + ".jsonl")
        let others = try TrackParts(plan.output.tracks.dropFirst(), beside: part, in: directory)
        return PartFile(
          directory, [Handoff(file)] + others.files, lock, numbering, number, part: part,
          identity: identity, position, others.parts, of: plan.output.tracks)
      } catch {
        guard error.errno == .exists, attempt < PartName.most else {
          throw TakeError.output(directory.path(of: target), .failed(error.errno))
        }
        attempt += 1
      }
    }
  }

  /// Throws if a live session writes to the file.
  private func refuseLive(_ target: String, in directory: borrowing Directory) throws {
    let part = ".\(target).part"
    let holder = holder(of: part, in: directory)
    let isHeld = (try? FileLock.isHeld(part, in: directory)) ?? false
    guard holder != nil || isHeld else { return }
    throw TakeError.output(
      directory.path(of: target),
      .inUse(by: holder?.name, on: holder.flatMap(store.sessions.distantHost)))
  }

  /// Returns the record of the live recording that writes to the file, or nil if there is none. The
  /// part of that recording may have another name than `part`. A recording on this host with this
  /// session's name is dead, because this session holds the lock of the name.
  private func holder(of part: String, in directory: borrowing Directory) -> SessionRecord? {
    guard let here = try? directory.descriptor.status() else { return nil }
    let distant = store.sessions.distant.map(\.record)
    return (store.sessions.records + distant).first { record in
      let isDistant = distant.contains { $0.identifier == record.identifier }
      guard !record.name.isSameName(as: plan.name) || isDistant, let path = record.path,
        let written = record.part,
        part.isSameName(as: ".\(path.pathParts.name).part"),
        let there = try? FileStatus(of: written.pathParts.directory),
        (there.device, there.inode) == (here.device, here.inode), record.isLeft
      else { return false }
      return isDistant || store.sessions.isLive(record)
    }
  }
}

/// The new files of the tracks after the first one.
private struct TrackParts {
  private(set) var parts: [TrackPart] = []
  private(set) var files: [Handoff<Descriptor>] = []

  /// Creates the files. If this fails, removes the created files and the part. Throws `exists` if a
  /// dead session left a file with one of the names.
  init(
    _ tracks: ArraySlice<String>, beside part: String, in directory: borrowing Directory
  ) throws(SystemError) {
    do throws(SystemError) {
      for track in tracks {
        let name = TrackPart.name(of: track, beside: part)
        let file = try directory.open(name, [.readWrite, .create, .exclusive, .noFollow])
        parts.append(TrackPart(track, at: name, try file.status()))
        files.append(Handoff(file))
      }
    } catch {
      for other in parts { try? directory.remove(other.part) }
      try? directory.remove(part)
      throw error
    }
  }
}
