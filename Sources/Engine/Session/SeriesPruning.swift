internal import Control
internal import Linux

/// Deletes old files of a series: only those of which the catalogue says that they belong to it, and only while
/// they are what it says.
struct SeriesPruning {
  let series: String
  let keep: KeepPlan
  let shelf: SessionShelf

  init?(_ plan: OutputPlan, _ shelf: SessionShelf) {
    guard let keep = plan.keep, let series = plan.series else { return nil }
    self.keep = keep
    self.series = series
    self.shelf = shelf
  }

  /// Deletes what need not stay beside the latest file.
  func run(latest: RecordingResult) {
    for file in surplus(beside: latest) {
      guard let path = file.path else { continue }
      remove(path)
      if let sidecar = file.sidecar { remove(sidecar) }
    }
  }

  private func surplus(beside latest: RecordingResult) -> [RecordingResult] {
    let older = shelf.takes.reversed().filter { $0.series == series }
    // Each file that was ever recorded tells of time that has passed, whatever became of it.
    let ages = SeriesAges([latest] + older, believing: keep.age ?? .zero)
    var paths: Set<String> = [latest.path ?? ""]
    // A path that was written more than once holds what the last line says.
    let files = ages.files.dropFirst().filter { file, _ in
      guard let path = file.path else { return false }
      return paths.insert(path).inserted && isAsSaved(path, file)
    }
    switch keep {
    case .count(let count): return files.dropFirst(count - 1).map(\.file)
    case .age(let longest): return files.filter { $0.age > longest }.map(\.file)
    }
  }

  private func isAsSaved(_ path: String, _ file: RecordingResult) -> Bool {
    guard let status = try? FileStatus(of: path, following: false) else { return false }
    return status.kind == .regular && status.size == file.bytes
      && status.owner == Environment.effectiveUser
  }

  private func remove(_ path: String) {
    let (parent, name) = PartFile.split(path)
    guard let directory = try? Directory(parent) else { return }
    try? directory.remove(name)
  }
}

extension KeepPlan {
  fileprivate var age: Duration? { if case .age(let age) = self { age } else { nil } }
}
