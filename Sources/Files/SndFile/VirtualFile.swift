internal import CSndFile
internal import Glibc

/// What libsndfile sees as its file: a part of ours, from `base` on, with a position of its own.
final class VirtualFile {
  let file: CheckedFile
  let base: Int64
  var position: Int64 = 0

  private let correction: SampleExtent.Correction?

  init(
    _ file: CheckedFile, from base: Int64, correcting correction: SampleExtent.Correction? = nil
  ) {
    self.file = file
    self.base = base
    self.correction = correction
  }

  /// Puts what is corrected in the place of what was read.
  private func correct(_ bytes: inout MutableRawSpan, from start: Int64, _ count: Int) {
    guard let correction else { return }
    for (index, byte) in correction.bytes.enumerated() {
      let offset = correction.place + Int64(index) - start
      guard offset >= 0, offset < count else { continue }
      bytes.storeBytes(of: byte, toByteOffset: Int(offset), as: UInt8.self)
    }
  }

  var length: Int64 { max(0, file.end - base) }
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
    guard let count = try? file.read(into: &bytes, at: base + position) else { return 0 }
    correct(&bytes, from: base + position, count)
    position += Int64(count)
    return Int64(count)
  }

  /// Writes at the position; nothing on a failure, which the file has latched.
  func write(_ bytes: RawSpan) -> Int64 {
    guard (try? file.write(bytes, at: base + position)) != nil else { return 0 }
    position += Int64(bytes.byteCount)
    return Int64(bytes.byteCount)
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
