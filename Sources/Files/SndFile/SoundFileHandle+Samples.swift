internal import CSndFile
internal import Glibc

extension SoundFileHandle {
  /// The corresponding C function is `sf_write_raw`.
  func write(_ bytes: RawSpan) throws(SoundFileError) {
    let count = sf_count_t(bytes.byteCount)
    try unsafe transfer(count, "sf_write_raw") { library, handle in
      unsafe bytes.withUnsafeBytes {
        unsafe library.write_raw(handle, $0.baseAddress, count)
      }
    }
  }

  /// The corresponding C function is `sf_write_int`.
  func write(_ samples: Span<Int32>) throws(SoundFileError) {
    let count = sf_count_t(samples.count)
    try unsafe transfer(count, "sf_write_int") { library, handle in
      unsafe samples.withUnsafeBufferPointer {
        unsafe library.write_int(handle, $0.baseAddress, count)
      }
    }
  }

  /// The corresponding C function is `sf_write_float`.
  func write(_ samples: Span<Float>) throws(SoundFileError) {
    let count = sf_count_t(samples.count)
    try unsafe transfer(count, "sf_write_float") { library, handle in
      unsafe samples.withUnsafeBufferPointer {
        unsafe library.write_float(handle, $0.baseAddress, count)
      }
    }
  }

  /// The corresponding C function is `sf_readf_int`.
  func read(_ frames: Int, into samples: inout MutableSpan<Int32>) throws(SoundFileError) -> Int {
    let read = try unsafe call("sf_readf_int") { library, handle in
      unsafe samples.withUnsafeMutableBufferPointer {
        unsafe library.readf_int(handle, $0.baseAddress, sf_count_t(frames))
      }
    }
    return Int(read)
  }

  /// The corresponding C function is `sf_readf_float`.
  func read(_ frames: Int, into samples: inout MutableSpan<Float>) throws(SoundFileError) -> Int {
    let read = try unsafe call("sf_readf_float") { library, handle in
      unsafe samples.withUnsafeMutableBufferPointer {
        unsafe library.readf_float(handle, $0.baseAddress, sf_count_t(frames))
      }
    }
    return Int(read)
  }

  /// The corresponding C function is `sf_seek`.
  func seek(to frame: Int64) throws(SoundFileError) {
    _ = try unsafe call("sf_seek") { unsafe $0.seek($1, frame, SEEK_SET) }
  }

  private func transfer(
    _ count: sf_count_t, _ function: String,
    _ write: (sndfile_functions, OpaquePointer) -> sf_count_t
  ) throws(SoundFileError) {
    try file.throwFault()
    let written = try unsafe call(function, write)
    if written != count { throw .incomplete(function: function, subject: file.label) }
  }
}
