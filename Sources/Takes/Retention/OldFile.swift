internal import Audio
internal import Control
internal import Linux
internal import Store

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
  /// The file as it was once it was complete; nil where a former release recorded it, or its
  /// session died.
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
