internal import Audio
internal import Control
internal import Linux
internal import Store

/// Deletes surplus files of a series: the files beyond the number or the age to keep. A file is
/// deleted only if the catalogue lists it in the series, and if the file still has its recorded
/// content. A file that waits for a delivery is deleted only to make room for a take.
struct SeriesPruning {
  let series: String
  let keep: KeepPlan
  let store: MachineStore

  init?(_ plan: OutputPlan, _ store: MachineStore) {
    guard let keep = plan.keep, let series = plan.series else { return nil }
    self.keep = keep
    self.series = series
    self.store = store
  }

  /// The result of deleting old files.
  struct Deletions {
    /// The takes whose files were deleted.
    var deleted: [RecordingResult] = []
    /// The paths of files that were not deleted, because their content has changed.
    var changed: [String] = []
  }

  /// Deletes the surplus files. Throws if the files that wait for a delivery cannot be determined.
  func run(latest: RecordingResult) throws(DirectoryRefusal) -> Deletions {
    let queue = try store.spool(of: series).queue()
    let waiting = Self.keys(of: queue.files + queue.announced)
    let known = store.savedFiles.all
    var deletions = Deletions()
    for file in surplus(known, beside: latest) {
      guard let path = file.path else { continue }
      let saved = known[Path(path)]
      guard saved?.isLeft != true, !waiting.contains(SavedFileKey(file)) else { continue }
      switch OldFile(file, path, known).remove() {
      case .removed(let sidecar):
        deletions.deleted.append(file)
        if let sidecar { deletions.changed.append(sidecar) }
      case .changed(let what):
        deletions.changed.append(what)
        leave(path, saved, of: file)
      case .failed: break
      }
    }
    forget(deletions.deleted)
    return deletions
  }

  /// Deletes surplus files that wait for a delivery, the oldest first, until `bytes` bytes have
  /// been freed. Returns the number of deleted files.
  ///
  /// The first file in the queue stays, because it may be in delivery.
  ///
  /// - Parameter isWhole: true to delete no file if all of these files together have fewer bytes.
  func makeRoom(of bytes: Int64, whole isWhole: Bool = false) -> Int {
    let spool = store.spool(of: series)
    guard let queue = try? spool.queue() else { return 0 }
    let waiting = queue.waiting.dropFirst()
    let keys = Self.keys(of: waiting)
    let known = store.savedFiles.all
    let files = surplus(known, beside: nil).reversed().filter { file in
      keys.contains(SavedFileKey(file)) && file.path.map { known[Path($0)]?.isLeft } != true
    }
    if isWhole, files.reduce(bytes, { $0 - min($0, $1.bytes) }) > 0 { return 0 }
    var (left, removed): (Int64, [RecordingResult]) = (bytes, [])
    for file in files where left > 0 {
      guard let path = file.path, case .removed = OldFile(file, path, known).remove() else {
        continue
      }
      left -= min(left, file.bytes)
      removed.append(file)
    }
    guard !removed.isEmpty else { return 0 }
    forget(removed)
    let gone = Set(removed.map(SavedFileKey.init))
    let deleted = waiting.filter { gone.contains(SavedFileKey($0.result)) }
    try? spool.remove(deleted) { $0.deleted += deleted.count }
    return removed.count
  }

  /// Records in the store that the files of these takes were deleted.
  private func forget(_ deleted: [RecordingResult]) {
    store.catalogue.notePruned(deleted)
    try? store.savedFiles.forget(at: Set(names: deleted.flatMap(\.files)))
    if let path = deleted.first?.path { store.catalogue.note(.prune, of: path) }
  }

  private static func keys(of files: some Sequence<WaitingFile>) -> Set<SavedFileKey> {
    Set(files.map { SavedFileKey($0.result) })
  }

  /// Marks a file that was changed, so that later recordings do not check it again.
  private func leave(_ path: String, _ saved: SavedFile?, of result: RecordingResult) {
    let status = try? FileStatus(of: path, following: false)
    guard
      var file = saved ?? status.map({ SavedFile(result, path: path, $0, digest: nil) })
    else { return }
    file.isLeft = true
    try? store.savedFiles.remember(file)
  }

  /// Returns the surplus files, the newest first.
  ///
  /// - Parameters:
  ///   - known: the stored facts of complete files.
  ///   - latest: the file that has just ended and is not in the catalogue yet, or nil.
  private func surplus(
    _ known: [Path: SavedFile], beside latest: RecordingResult?
  ) -> [RecordingResult] {
    let newest = latest.map { [$0] } ?? []
    let older = store.catalogue.takes.reversed().filter {
      $0.series?.isSameName(as: series) == true
    }
    // The duration of a file that no longer exists still counts in the ages.
    let ages = SeriesAges(newest + older, believing: keep.age ?? .zero)
    var paths = Set(newest.compactMap(\.path).map(Path.init))
    // If a path was written several times, its last line in the catalogue counts. If that line does
    // not belong to the file that was saved last, the catalogue does not have this file yet.
    let files = ages.files.dropFirst(newest.count).filter { file, _ in
      guard let path = file.path.map(Path.init) else { return false }
      return paths.insert(path).inserted && isThere(path.text)
        && known[path]?.isFile(of: file) != false
    }
    switch keep {
    case .count(let count):
      return Array(files.map(\.file).drop(first: count - newest.count, where: isAsLarge))
    case .age(let longest): return files.filter { $0.age > longest }.map(\.file)
    }
  }

  private func isThere(_ path: String) -> Bool {
    (try? FileStatus(of: path, following: false))?.kind == .regular
  }

  /// Returns whether the file has its recorded size. A file with another size does not count as one
  /// of the files to keep.
  private func isAsLarge(_ file: RecordingResult) -> Bool {
    file.path.flatMap { try? FileStatus(of: $0, following: false) }?.size == file.fileBytes
  }
}

extension [RecordingResult] {
  /// Skips elements until `count` of them have satisfied `isCounted`. Returns the other elements.
  fileprivate func drop(
    first count: Int, where isCounted: (RecordingResult) -> Bool
  ) -> ArraySlice<RecordingResult> {
    var left = count
    return drop { file in
      guard left > 0 else { return false }
      if isCounted(file) { left -= 1 }
      return true
    }
  }
}

extension KeepPlan {
  fileprivate var age: Duration? { if case .age(let age) = self { age } else { nil } }
}

/// The age of each file in a series, measured by the frames that were recorded after it.
///
/// The wall clock may be wrong by an hour or a year, and a file that is deleted because of this
/// cannot be restored. So within a take, the frames determine the time. Between two takes, the wall
/// clock determines the time, but an implausible interval counts as zero.
struct SeriesAges {
  /// The files, the newest first. The age of a file is the time from its end to the end of the
  /// newest file.
  let files: [(file: RecordingResult, age: Duration)]

  /// - Parameter longest: the longest plausible interval between two takes.
  init(_ newestFirst: [RecordingResult], believing longest: Duration) {
    // For each take, the time when the next older file of the take ended. This time is calculated
    // from the newest file of the take and the frames in between, so a correction of the clock
    // during a take applies to the whole take.
    var ends: [Path: Duration] = [:]
    var newer: (end: Duration, length: Duration)?
    var age = Duration.zero
    files = newestFirst.map { file in
      let length = (file.frames.elapsed - file.frames.early).duration(at: file.stream.rate)
      let take = Path(file.identifier)
      let end = ends[take] ?? file.ended
      ends[take] = end - length
      if let newer {
        let step = newer.end - end
        age += step > newer.length + longest ? newer.length : max(.zero, step)
      }
      newer = (end, length)
      return (file, age)
    }
  }
}

/// The files of one surplus segment.
struct OldFile {
  /// The result of an attempt to delete the files.
  enum Removal: Equatable {
    /// The files were deleted. The value is the path of the sidecar if it was changed and therefore
    /// kept, or nil.
    case removed(keeping: String?)
    /// The file at this path was changed, so no file was deleted.
    case changed(String)
    case failed
  }

  private let result: RecordingResult
  private let path: String
  /// The stored facts of complete files. They are missing for a file whose session died before it
  /// stored them.
  private let saved: [Path: SavedFile]

  /// The longest time after the last frame during which the file is still written.
  private static let slack = Duration.seconds(120)

  init(_ result: RecordingResult, _ path: String, _ saved: [Path: SavedFile]) {
    self.result = result
    self.path = path
    self.saved = saved
  }

  /// Removes the files of all tracks, or none of them if one was changed. Then removes the sidecar
  /// if it still has its recorded content.
  func remove() -> Removal {
    var found: [(path: String, status: FileStatus)] = []
    for (path, bytes) in files {
      do throws(SystemError) {
        guard let status = try status(of: path, where: { isRecorded($0, $1, path, bytes) }) else {
          return .changed(path)
        }
        found.append((path, status))
      } catch {
        // The user may have removed the file of a further track.
        guard error.errno == .noSuchFile, !found.isEmpty else { return .failed }
      }
    }
    // The first file is removed last. If removing a file fails, the next attempt finds the other
    // files only through the first one.
    for (path, status) in found.reversed() {
      guard (try? remove(path, status)) != nil else { return .failed }
    }
    return .removed(keeping: removeSidecar())
  }

  /// The paths and the sizes of the files. A size is nil if it is unknown.
  private var files: [(path: String, bytes: Int64?)] {
    let tracks = result.tracks.filter { $0.file != nil }
    guard !tracks.isEmpty else { return [(path, result.bytes)] }
    return Array(zip(result.files, tracks.map(\.bytes)))
  }

  /// Removes the sidecar, or returns its path if it was changed.
  private func removeSidecar() -> String? {
    guard let sidecar = result.sidecar else { return nil }
    do throws(SystemError) {
      guard let status = try status(of: sidecar, where: isSidecar) else { return sidecar }
      try remove(sidecar, status)
    } catch {}
    return nil
  }

  /// Returns the status of the file at `path` if the file belongs to this user and `isSame` returns
  /// true for it, else nil.
  private func status(
    of path: String, where isSame: (borrowing Descriptor, FileStatus) -> Bool
  ) throws(SystemError) -> FileStatus? {
    let (parent, name) = path.pathParts
    let file = try Directory(parent).open(name, [.noFollow, .nonBlocking])
    let status = try file.status()
    guard status.kind == .regular, status.owner == Environment.effectiveUser, isSame(file, status)
    else { return nil }
    return status
  }

  /// Removes the file at `path`. Throws if the status of the file has changed.
  private func remove(_ path: String, _ status: FileStatus) throws(SystemError) {
    let (parent, name) = path.pathParts
    let directory = try Directory(parent)
    guard try directory.status(of: name) == status else {
      throw SystemError("unlinkat", path, errno: .busy)
    }
    try directory.remove(name)
  }

  private func isRecorded(
    _ file: borrowing Descriptor, _ status: FileStatus, _ path: String, _ bytes: Int64?
  ) -> Bool {
    if let saved = saved[Path(path)] { return saved.isSame(file, status) }
    return status.size == bytes && wasWrittenThen(status)
  }

  private func isSidecar(_ file: borrowing Descriptor, _ status: FileStatus) -> Bool {
    if let saved = saved[Path(path)] {
      return SavedFile.Beside.digest(of: file) == saved.sidecar?.digest
    }
    return wasWrittenThen(status) && Sidecar.identifier(in: file) == result.identifier
  }

  /// Returns whether the file was last written during its recording. This check is used if there is
  /// no digest.
  private func wasWrittenThen(_ status: FileStatus) -> Bool {
    let end = result.ended + Self.slack
    return status.modified >= result.began - .seconds(2) && status.modified <= end
  }
}
