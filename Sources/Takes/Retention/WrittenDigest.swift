internal import Control
internal import Digest
internal import Files
internal import Linux
internal import Store
internal import Synchronization

/// The digest of a file, calculated while the file is written. The head of the file is added last,
/// because it is rewritten as the file grows.
final class WrittenDigest: Sendable {
  /// The length of the head, the bytes at the beginning that may be written more than once. All
  /// headers of this program fit into it.
  private static let head: Int64 = 4_096

  private struct State {
    var hasher = SHA256.Hasher()
    /// The end of the bytes in the digest.
    var reached = WrittenDigest.head
    /// Whether bytes after the head were written out of order.
    var isBroken = false
  }

  private let state = Mutex(State())

  /// Adds bytes that were written.
  func note(_ bytes: RawSpan, at offset: Int64) {
    let end = offset + Int64(bytes.byteCount)
    guard end > Self.head else { return }
    let skipped = max(0, Self.head - offset)
    state.withLock { state in
      guard offset + skipped == state.reached else { return state.isBroken = true }
      state.hasher.add(bytes.extracting(droppingFirst: Int(skipped)))
      state.reached = end
    }
  }

  /// Records that another writer, such as a repair, changed the file. `finish` then reads the file
  /// again.
  func doubt() { state.withLock { $0.isBroken = true } }

  /// Returns the digest of a complete file. Reads the file again if it was not written in order.
  func finish(_ file: borrowing Descriptor, size: Int64) throws(SystemError) -> String {
    let state = state.withLock { $0 }
    guard !state.isBroken, state.reached == max(size, Self.head) else {
      return try Self.digest(of: file, size: size)
    }
    return try Self.close(state.hasher, file, size)
  }

  /// Returns the digest of an existing file.
  static func digest(of file: borrowing Descriptor, size: Int64) throws(SystemError) -> String {
    var hasher = SHA256.Hasher()
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    var offset = head
    while offset < size {
      let count = Int(min(Int64(try file.read(into: &chunk, at: offset)), size - offset))
      if count == 0 { throw SystemError("pread", errno: .inputOutput) }
      hasher.add(unsafe chunk.span.extracting(first: count).bytes)
      offset += Int64(count)
    }
    return try close(hasher, file, size)
  }

  private static func close(
    _ hasher: SHA256.Hasher, _ file: borrowing Descriptor, _ size: Int64
  ) throws(SystemError) -> String {
    var hasher = hasher
    var start = [UInt8](repeating: 0, count: Int(head))
    let count = min(try file.read(into: &start, at: 0), Int(size))
    hasher.add(unsafe start.span.extracting(first: count).bytes)
    return hasher.finish().hexadecimal
  }
}

extension SavedFile {
  /// The facts of a file that has its final name, or nil if the file belongs to no series with
  /// retention or cannot be read.
  init?(
    _ result: RecordingResult, at path: String, _ file: CheckedFile, _ digest: WrittenDigest?,
    _ directory: borrowing Directory
  ) {
    guard let digest, result.series != nil,
      let open = try? file.duplicate(), let status = try? open.status(),
      let content = try? digest.finish(open, size: status.size)
    else { return nil }
    self.init(result, path: path, status, digest: content)
    sidecar = result.sidecar.flatMap { Beside($0, in: directory) }
  }

  /// Returns whether an open file still has its recorded content.
  func isSame(_ file: borrowing Descriptor, _ status: FileStatus) -> Bool {
    if isUntouched(status) { return true }
    guard let digest, status.size == size else { return false }
    return (try? WrittenDigest.digest(of: file, size: size)) == digest
  }
}

extension SavedFile.Beside {
  /// A size limit. All sidecars of this program are smaller.
  private static let largest = 1 << 28

  init?(_ path: String, in directory: borrowing Directory) {
    guard
      let file = try? directory.open(path.pathParts.name, [.noFollow, .nonBlocking]),
      let digest = Self.digest(of: file)
    else { return nil }
    self.init(path: path, digest: digest)
  }

  /// Returns the digest of a sidecar, or nil if it is not a regular file or is too large.
  static func digest(of file: borrowing Descriptor) -> String? {
    guard (try? file.status())?.kind == .regular else { return nil }
    return (try? file.readAll(upTo: largest)).map { SHA256(of: $0).hexadecimal }
  }
}
