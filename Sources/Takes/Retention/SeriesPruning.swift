internal import Audio
internal import Control
internal import Linux
internal import Store

/// Deletes old files of a series: only those of which the catalogue says that they belong to it, only while
/// they hold what was recorded, and only those that no delivery waits for.
struct SeriesPruning {
  let series: String
  let keep: KeepPlan
  let store: SessionStore

  init?(_ plan: OutputPlan, _ store: SessionStore) {
    guard let keep = plan.keep, let series = plan.series else { return nil }
    self.keep = keep
    self.series = series
    self.store = store
  }

  /// Deletes files beyond those to keep; returns the paths of those that were skipped because they
  /// were changed. Throws where it cannot be said which files wait for a delivery.
  func run(latest: RecordingResult) throws(DirectoryRefusal) -> [String] {
    let queue = try store.spool(of: series).queue()
    let waiting = Self.paths(of: queue.files + queue.announced)
    let known = store.savedFiles
    var (gone, changed): (Set<Path>, [String]) = ([], [])
    for file in surplus(beside: latest) {
      guard let path = file.path else { continue }
      let (key, saved) = (Path(path), known[Path(path)])
      guard saved?.isLeft != true, !waiting.contains(key) else { continue }
      switch OldFile(file, path, saved).remove() {
      case .removed: gone.insert(key)
      case .changed(let what):
        changed.append(what)
        if let status = try? FileStatus(of: path, following: false), what.isSameName(as: path) {
          leave(path, status)
        } else {
          gone.insert(key)
        }
      case .failed: break
      }
    }
    forget(gone)
    return changed
  }

  /// Deletes files beyond those to keep that wait for a delivery, the oldest first, until so many bytes
  /// are free; returns their number.
  ///
  /// The first that waits stays, because it may be on its way.
  func makeRoom(of bytes: Int64) -> Int {
    let spool = store.spool(of: series)
    guard let queue = try? spool.queue() else { return 0 }
    let waiting = queue.waiting.dropFirst()
    let paths = Self.paths(of: waiting)
    let known = store.savedFiles
    var (gone, freed): (Set<Path>, Int64) = ([], 0)
    for file in surplus(beside: nil).reversed() where freed < bytes {
      guard let path = file.path else { continue }
      let (key, saved) = (Path(path), known[Path(path)])
      guard saved?.isLeft != true, paths.contains(key),
        OldFile(file, path, saved).remove() == .removed
      else { continue }
      gone.insert(key)
      freed += file.bytes
    }
    guard !gone.isEmpty else { return 0 }
    forget(gone)
    let deleted = waiting.filter { $0.result.path.map { gone.contains(Path($0)) } == true }
    try? spool.remove(deleted) { $0.deleted += deleted.count }
    return gone.count
  }

  /// Notes files that are not there any more.
  private func forget(_ gone: Set<Path>) {
    try? store.forgetSavedFiles(at: gone)
    if let path = gone.first { store.note(.prune, of: path.text) }
  }

  private static func paths(of files: some Sequence<WaitingFile>) -> Set<Path> {
    Set(files.compactMap(\.result.path).map(Path.init))
  }

  /// Checks a changed file once, and not again after each one that is recorded.
  private func leave(_ path: String, _ status: FileStatus) {
    var file = SavedFile(path: path, status, digest: nil)
    file.isLeft = true
    try? store.remember(file)
  }

  /// The files beyond those to keep, the newest first.
  ///
  /// - Parameter latest: the file that has just ended and is not in the catalogue yet.
  private func surplus(beside latest: RecordingResult?) -> [RecordingResult] {
    let newest = latest.map { [$0] } ?? []
    let older = store.takes.reversed().filter { $0.series?.isSameName(as: series) == true }
    // Each recorded file counts as time that has passed, even if it is gone.
    let ages = SeriesAges(newest + older, believing: keep.age ?? .zero)
    var paths = Set(newest.compactMap(\.path).map(Path.init))
    // A path that was written more than once has the facts of its last line.
    let files = ages.files.dropFirst(newest.count).filter { file, _ in
      guard let path = file.path else { return false }
      return paths.insert(Path(path)).inserted && isThere(path)
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

  /// A file that somebody has changed does not count among those to keep.
  private func isAsLarge(_ file: RecordingResult) -> Bool {
    file.path.flatMap { try? FileStatus(of: $0, following: false) }?.size == file.bytes
  }
}

extension [RecordingResult] {
  /// The rest after the first ones of a kind.
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

/// The ages of the files of a series, measured in the frames recorded since.
///
/// The wall clock may be wrong by an hour or a year, and deleted files do not come back. So within
/// a take the time is that of its frames; the clock counts only between two takes, and an
/// implausible time between them counts as zero.
struct SeriesAges {
  /// The files, the newest first, and how long before the end of the newest each of them ended.
  let files: [(file: RecordingResult, age: Duration)]

  /// - Parameter longest: the longest plausible time between two takes.
  init(_ newestFirst: [RecordingResult], believing longest: Duration) {
    // The end of a take's next older file, by its newest file and the frames between: a clock that
    // was corrected meanwhile then counts for all of the take.
    var ends: [String: Duration] = [:]
    var newer: (end: Duration, length: Duration)?
    var age = Duration.zero
    files = newestFirst.map { file in
      let length = file.frames.elapsed.duration(at: file.stream.rate)
      let end = ends[file.identifier] ?? file.began + length
      ends[file.identifier] = end - length
      if let newer {
        let step = newer.end - end
        age += step > newer.length + longest ? newer.length : max(.zero, step)
      }
      newer = (end, length)
      return (file, age)
    }
  }
}

/// A file of a series that is older than retention keeps.
struct OldFile {
  /// The outcome of an attempt to delete it.
  enum Removal: Equatable {
    case removed
    /// The file or its sidecar stays, because somebody has changed it; the path.
    case changed(String)
    case failed
  }

  private let result: RecordingResult
  private let path: String
  /// The file as it was once it was complete; nil if its session died before it noted that.
  private let saved: SavedFile?

  /// The longest time after its last frame in which a file is still written to.
  private static let slack = Duration.seconds(120)

  init(_ result: RecordingResult, _ path: String, _ saved: SavedFile?) {
    self.result = result
    self.path = path
    self.saved = saved
  }

  /// Removes it and its sidecar, each only while it is what was recorded.
  func remove() -> Removal {
    guard let isOurs = isOurs(path, { file, status in isRecorded(file, status) }) else {
      return .failed
    }
    guard isOurs else { return .changed(path) }
    if let sidecar = result.sidecar,
      self.isOurs(sidecar, { file, status in isSidecar(file, status) }) == false
    {
      return .changed(sidecar)
    }
    return .removed
  }

  /// Removes what a path names where `isSame`; false where it is something else, nil where it
  /// cannot be removed.
  private func isOurs(
    _ path: String, _ isSame: (borrowing Descriptor, FileStatus) -> Bool
  ) -> Bool? {
    let (parent, name) = PartFile.split(path)
    do throws(SystemError) {
      let directory = try Directory(parent)
      let file = try directory.open(name, [.noFollow, .nonBlocking])
      let status = try file.status()
      guard status.kind == .regular, status.owner == Environment.effectiveUser,
        isSame(file, status)
      else { return false }
      guard try directory.status(of: name).inode == status.inode else { return false }
      try directory.remove(name)
      return true
    } catch {
      return nil
    }
  }

  private func isRecorded(_ file: borrowing Descriptor, _ status: FileStatus) -> Bool {
    if let saved { return saved.isSame(file, status) }
    return status.size == result.bytes && wasWrittenThen(status)
  }

  private func isSidecar(_ file: borrowing Descriptor, _ status: FileStatus) -> Bool {
    if let saved { return SavedFile.Beside.digest(of: file) == saved.sidecar?.digest }
    return wasWrittenThen(status) && Sidecar.identifier(in: file) == result.identifier
  }

  /// True for a file that was last written during its recording; used without a digest.
  private func wasWrittenThen(_ status: FileStatus) -> Bool {
    let length = result.frames.elapsed.duration(at: result.stream.rate)
    let end = result.began + length + Self.slack
    return status.modified >= result.began - .seconds(2) && status.modified <= end
  }
}
