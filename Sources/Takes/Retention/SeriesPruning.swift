internal import Control
internal import Linux
internal import Store

/// Deletes old files of a series: only those of which the catalogue says that they belong to it, and only while
/// they hold what was recorded.
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
  /// were changed.
  func run(latest: RecordingResult) -> [String] {
    let known = store.savedFiles
    var (gone, changed): (Set<String>, [String]) = ([], [])
    for file in surplus(beside: latest) {
      guard let path = file.path, known[path]?.isLeft != true else { continue }
      switch OldFile(file, path, known[path]).remove() {
      case .removed: gone.insert(path)
      case .changed(let what):
        changed.append(what)
        if let status = try? FileStatus(of: path, following: false), what == path {
          leave(path, status)
        } else {
          gone.insert(path)
        }
      case .failed: break
      }
    }
    try? store.forgetSavedFiles(at: gone)
    return changed
  }

  /// Checks a changed file once, and not again after each one that is recorded.
  private func leave(_ path: String, _ status: FileStatus) {
    var file = SavedFile(path: path, status, digest: nil)
    file.isLeft = true
    try? store.remember(file)
  }

  private func surplus(beside latest: RecordingResult) -> [RecordingResult] {
    let older = store.takes.reversed().filter { $0.series == series }
    // Each recorded file counts as time that has passed, even if it is gone.
    let ages = SeriesAges([latest] + older, believing: keep.age ?? .zero)
    var paths: Set<String> = [latest.path ?? ""]
    // A path that was written more than once has the facts of its last line.
    let files = ages.files.dropFirst().filter { file, _ in
      guard let path = file.path else { return false }
      return paths.insert(path).inserted && isThere(path)
    }
    switch keep {
    case .count(let count): return Array(files.map(\.file).drop(first: count - 1, where: isAsLarge))
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
