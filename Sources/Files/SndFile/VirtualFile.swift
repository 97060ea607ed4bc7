internal import CSndFile
internal import Glibc

/// The file as libsndfile reads or writes it: a view, or a part of a file that is being written,
/// with a position.
final class VirtualFile {
  private enum Content {
    case part(from: Int64)
    case view(FileView)
  }

  let file: CheckedFile
  var position: Int64 = 0
  private let content: Content

  /// The part of a file that begins at `base` and grows.
  init(_ file: CheckedFile, from base: Int64) {
    self.file = file
    content = .part(from: base)
  }

  /// A view that is read.
  init(_ file: CheckedFile, _ view: FileView) {
    self.file = file
    content = .view(view)
  }

  var length: Int64 {
    switch content {
    case .part(let base): max(0, file.end - base)
    case .view(let view): view.count
    }
  }

  private func bytes(into bytes: inout MutableRawSpan) throws(SoundFileError) -> Int {
    switch content {
    case .part(let base): try file.read(into: &bytes, at: base + position)
    case .view(let view): try view.read(into: &bytes, at: position, of: file)
    }
  }

  /// Writes at the position; nothing on a failure, which the file has latched.
  func write(_ bytes: RawSpan) -> Int64 {
    guard case .part(let base) = content,
      (try? file.write(bytes, at: base + position)) != nil
    else { return 0 }
    position += Int64(bytes.byteCount)
    return Int64(bytes.byteCount)
  }
}

extension VirtualFile {
  /// Moves the position as `fseek` does; a place before the beginning is refused.
  func seek(_ offset: Int64, from whence: CInt) -> Int64 {
    let origin =
      switch whence {
      case SEEK_CUR: position
      case SEEK_END: length
      default: Int64(0)
      }
    let (target, overflow) = origin.addingReportingOverflow(offset)
    guard !overflow, target >= 0 else { return -1 }
    position = target
    return target
  }

  /// Reads at the position; nothing on a failure, which the file has latched.
  func read(into bytes: inout MutableRawSpan) -> Int64 {
    guard let count = try? self.bytes(into: &bytes) else { return 0 }
    position += Int64(count)
    return Int64(count)
  }
}

/// The functions that libsndfile calls with a `VirtualFile`.
var virtualCalls: SF_VIRTUAL_IO {
  unsafe SF_VIRTUAL_IO(
    get_filelen: { unsafe virtualFile($0)?.length ?? 0 },
    seek: { unsafe virtualFile($2)?.seek($0, from: $1) ?? -1 },
    read: { bytes, count, user in
      var span = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)).mutableBytes
      return unsafe virtualFile(user)?.read(into: &span) ?? 0
    },
    write: { bytes, count, user in
      let span = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count)).bytes
      return unsafe virtualFile(user)?.write(span) ?? 0
    },
    tell: { unsafe virtualFile($0)?.position ?? 0 })
}

private func virtualFile(_ user: UnsafeMutableRawPointer?) -> VirtualFile? {
  unsafe user.map { unsafe Unmanaged<VirtualFile>.fromOpaque($0).takeUnretainedValue() }
}
