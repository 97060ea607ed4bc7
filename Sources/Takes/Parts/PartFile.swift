internal import Audio
internal import Control
internal import Files
package import Linux
internal import Store
internal import Synchronization

/// A part: the hidden file of a segment during the recording. It is private and locked, and is in
/// the directory of the final file. With `--separate`, the part has a file for each track, and the
/// *first file* is the file of the first track.
package final class PartFile: Sendable {
  /// The result of publishing the file.
  struct Published {
    /// The name of the published file.
    let name: String
    /// The reason why the name may not survive a power cut, or nil if the directory was
    /// synchronized.
    var doubt: SystemError?
  }

  /// The directory of the part and of the final file.
  package let directory: Directory
  /// The name of the final file.
  package let name: String
  /// The hidden name of the part.
  package let part: String
  /// The open files, until a writer takes them: one file, or one for each track.
  let files: [Handoff<Descriptor>]
  /// The names of the tracks if each track has its own file, else empty.
  private let tracks: [String]
  /// The files of the tracks after the first one.
  let others: [TrackPart]
  private let numbering: NumberedName
  private let number: Int
  private let position: Mutex<RecordedPart.TakePosition>
  private let journal: Journal
  /// The status that the first file had at its creation. It identifies the file even if another
  /// file gets the name.
  private let identity: FileStatus
  /// The time since 1970 at which the first file was created, or nil if it is not known.
  private let created: Duration?
  /// The lock that marks a live recording, or nil if the filesystem has no locks.
  private let lock: FileLock?

  init(
    _ directory: consuming Directory, _ files: [Handoff<Descriptor>], _ lock: consuming FileLock?,
    _ numbering: NumberedName, _ number: Int, part: String, identity: FileStatus,
    _ position: RecordedPart.TakePosition, _ others: [TrackPart], of tracks: [String]
  ) {
    self.position = Mutex(position)
    self.identity = identity
    created = FileStatus.birth(of: directory.path(of: part))
    self.directory = directory
    self.files = files
    self.others = others
    self.tracks = tracks
    self.lock = lock
    self.numbering = numbering
    self.number = number
    self.part = part
    name = numbering.name(number)
    journal = Journal()
  }
}

extension PartFile {
  /// The current path of the final file, even if its directory was renamed.
  package var path: String { directory.presentPath(of: name) }
  /// The current path of the part, even if its directory was renamed.
  package var partPath: String { directory.presentPath(of: part) }

  /// The description of the part for the session's record.
  var recorded: RecordedPart {
    RecordedPart(
      path: partPath, file: RecordedPart.Number(identity),
      directory: (try? directory.descriptor.status()).map(RecordedPart.Number.init),
      created: created, position.withLock { $0 })
  }

  /// Sets the time of the first frame. In an armed take, this time is later than the start.
  func begin(at moment: WallTime) { position.withLock { $0.began = moment.sinceEpoch } }

  /// The free space on the filesystem in bytes, or nil if the system does not report it.
  package var freeBytes: Int64? { try? directory.descriptor.freeSpace() }

  /// The status of the first file. If that file has lost its hidden name, the status that the file
  /// had at its creation.
  var status: FileStatus {
    isFirstNamed ? (try? directory.status(of: part)) ?? identity : identity
  }

  /// Returns the final names of all files for this number.
  private func names(_ number: Int) -> [String] {
    let first = numbering.name(number)
    guard let track = tracks.first else { return [first] }
    let others = others.map { other in
      NumberedName(TrackFileName.replacing(track, by: other.track, in: numbering.name(1)))
        .name(number)
    }
    return [first] + others
  }

  /// Sets the final path of each track's file. Does nothing if the part is one file.
  func setPaths(in tracks: inout [Track]) {
    guard !others.isEmpty else { return }
    for (index, name) in zip(tracks.indices, names(number)) {
      tracks[index].file = directory.presentPath(of: name)
    }
  }

  /// Returns the final names of all files. The number in the names is the first number for which
  /// all names are free. If the sidecar is needed, its name must be free too. If existing files are
  /// replaced, the number is always that of the part.
  func names(replacing isReplacing: Bool, withSidecar hasSidecar: Bool = false) -> [String] {
    if isReplacing { return names(number) }
    let free = (number..<(number + Self.mostAttempts)).first {
      usedName($0, withSidecar: hasSidecar) == nil
    }
    return names(free ?? number)
  }

  /// Returns the path of an existing file that has a final name of this part, or nil if all final
  /// names are free.
  func usedPath(withSidecar hasSidecar: Bool) -> String? {
    usedName(number, withSidecar: hasSidecar).map { directory.presentPath(of: $0) }
  }

  private func usedName(_ number: Int, withSidecar hasSidecar: Bool) -> String? {
    let files = names(number)
    let names = hasSidecar ? files + [files[0] + ".json"] : files
    return names.first { (try? directory.status(of: $0)) != nil }
  }

  private static let mostAttempts = 1_000

  /// The hidden path of a file that has lost its hidden name, or nil if there is no such file.
  /// Another program may have removed the name, or given it to another file.
  package var lostPath: String? {
    if !isFirstNamed { return partPath }
    let lost = others.first { !$0.isFile($0.part, in: directory) }
    return lost.map { directory.presentPath(of: $0.part) }
  }

  /// Whether the first file still has its hidden name.
  var isFirstNamed: Bool {
    do throws(SystemError) {
      let named = try directory.status(of: part)
      return (named.device, named.inode) == (identity.device, identity.inode)
    } catch {
      return error.errno != .noSuchFile
    }
  }

  /// Removes the part and its journal. If the part cannot be removed, the journal stays as well.
  package func discard() throws(SystemError) {
    // The first file is removed last, because recovery uses it to find the other files.
    for other in others where other.isFile(other.part, in: directory) {
      try? directory.remove(other.part)
    }
    if isFirstNamed { try directory.remove(part) }
    journal.remove(from: directory, named: part)
  }

  /// Synchronizes the directory. Otherwise a power cut may remove the name of the part, and the
  /// take is lost.
  func keepPart() { try? directory.synchronize() }

  /// Synchronizes the events that were appended since the last call.
  func keepEvents() { journal.synchronize(in: directory, named: part) }

  /// Appends an event to the journal, so that it survives a crash.
  func note(_ line: String) { journal.append(line, in: directory, named: part) }

  /// Renames the part to its final name. If another file has this name and must not be replaced,
  /// the part gets the next free number.
  ///
  /// The first file is renamed first. If the session dies before this, recovery finds all files by
  /// their hidden names. If the session dies after this, the other files get their names from the
  /// announcement.
  ///
  /// If this function throws, the files keep their hidden names.
  ///
  /// - Parameters:
  ///   - files: the files of the part. A file is copied if its hidden name was removed.
  ///   - meant: the intended final name of the first file.
  ///   - isReplacing: true to replace existing files that have the final names.
  ///   - tracks: the tracks with the intended paths of their files. The function sets the actual
  ///     paths.
  func publish(
    _ files: [CheckedFile], as meant: String, replacing isReplacing: Bool, _ tracks: inout [Track]
  ) throws(SystemError) -> Published {
    var published = Published(
      name: try publishedName(files[0], meant, replacing: isReplacing))
    if !others.isEmpty { tracks[0].file = directory.presentPath(of: published.name) }
    for (other, file) in zip(others, files.dropFirst()) {
      other.publish(in: directory, replacing: isReplacing, &tracks) { name throws(SystemError) in
        try file.copy(to: name, in: directory)
      }
    }
    do throws(SystemError) {
      try directory.synchronize()
    } catch {
      published.doubt = error
    }
    return published
  }

  /// Removes the journal. Call this after the events are in the sidecar and in the marks of the
  /// file.
  func forgetEvents() { journal.remove(from: directory, named: part) }

  private func publishedName(
    _ file: CheckedFile, _ meant: String, replacing isReplacing: Bool
  ) throws(SystemError) -> String {
    let isNamed = isFirstNamed
    if isReplacing, isNamed {
      try directory.rename(part, to: meant)
      return meant
    }
    var attempt = number
    var candidate = meant
    while true {
      do {
        if isNamed {
          try directory.renameWithoutReplacing(part, to: candidate)
        } else {
          try file.copy(to: candidate, in: directory)
        }
        return candidate
      } catch let error where error.errno == .exists && attempt < number + Self.mostAttempts {
        attempt += 1
        candidate = numbering.name(attempt)
      }
    }
  }
}

/// The events of a take, in a file next to the part. Each event is appended when it happens. The
/// first event creates the file.
private final class Journal: Sendable {
  private let exists = Atomic<Bool>(false)
  /// Whether events were appended since the last synchronization.
  private let isUnsaved = Atomic<Bool>(false)
  /// Whether the name of the file was synchronized.
  private let isNamed = Atomic<Bool>(false)

  /// Appends a line. A failure does not stop the recording.
  func append(_ line: String, in directory: borrowing Directory, named part: String) {
    exists.store(true, ordering: .relaxed)
    let file = try? directory.open(
      part + ".jsonl", [.readWrite, .create, .append, .noFollow, .nonBlocking])
    if let file { try? file.append(line: line) }
    // Releasing: pairs with the acquiring exchange in `synchronize`.
    isUnsaved.store(true, ordering: .releasing)
  }

  /// Synchronizes the events that were appended since the last call. Only one thread may call it.
  func synchronize(in directory: borrowing Directory, named part: String) {
    // Acquiring: pairs with the releasing store in `append`.
    guard isUnsaved.exchange(false, ordering: .acquiring) else { return }
    let file = try? directory.open(part + ".jsonl", [.noFollow, .nonBlocking])
    if let file { try? file.synchronizeData() }
    if !isNamed.exchange(true, ordering: .relaxed) { try? directory.synchronize() }
  }

  func remove(from directory: borrowing Directory, named part: String) {
    if exists.load(ordering: .relaxed) { try? directory.remove(part + ".jsonl") }
  }
}
