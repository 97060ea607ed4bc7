internal import Control
internal import Digest
internal import Files
internal import Linux
internal import Store

extension SavedFile {
  /// Describes a file of a series with retention, now that it has its name; nil for any other.
  init?(
    _ result: RecordingResult, _ file: CheckedFile, _ digest: WrittenDigest?,
    _ directory: borrowing Directory
  ) {
    guard let digest, result.series != nil, let path = result.path,
      let open = try? file.duplicate(), let status = try? open.status(),
      let content = try? digest.finish(open, size: status.size)
    else { return nil }
    self.init(path: path, status, digest: content)
    sidecar = result.sidecar.flatMap { Beside($0, in: directory) }
  }

  /// True where an open file still holds the recording.
  func isSame(_ file: borrowing Descriptor, _ status: FileStatus) -> Bool {
    if isUntouched(status) { return true }
    guard let digest, status.size == size else { return false }
    return (try? WrittenDigest.digest(of: file, size: size)) == digest
  }
}

extension SavedFile.Beside {
  /// Larger than any sidecar of this program.
  private static let largest = 1 << 28

  init?(_ path: String, in directory: borrowing Directory) {
    guard
      let file = try? directory.open(PartFile.split(path).name, [.noFollow, .nonBlocking]),
      let digest = Self.digest(of: file)
    else { return nil }
    self.init(path: path, digest: digest)
  }

  /// The digest of a file that is no larger than a sidecar can be.
  static func digest(of file: borrowing Descriptor) -> String? {
    guard (try? file.status())?.kind == .regular else { return nil }
    return (try? file.readAll(upTo: largest)).map { SHA256(of: $0).hexadecimal }
  }
}
