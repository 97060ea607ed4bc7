internal import Glibc

/// The system calls that reach a file; a test puts failing ones in their place.
struct FileCalls: Sendable {
  var read: @Sendable (CInt, inout MutableRawSpan, Int64) -> Int = { number, bytes, offset in
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe pread(number, bytes.baseAddress, bytes.count, off_t(offset))
    }
  }

  var write: @Sendable (CInt, RawSpan, Int64) -> Int = { number, bytes, offset in
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe pwrite(number, bytes.baseAddress, bytes.count, off_t(offset))
    }
  }

  var truncate: @Sendable (CInt, Int64) -> CInt = { ftruncate($0, off_t($1)) }

  var synchronize: @Sendable (CInt) -> CInt = { fsync($0) }

  var synchronizeData: @Sendable (CInt) -> CInt = { fdatasync($0) }
}
