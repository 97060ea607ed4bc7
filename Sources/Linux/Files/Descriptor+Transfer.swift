internal import Glibc

extension Descriptor {
  /// Reads what is there into the start of `buffer` and returns how many bytes; 0 is the end.
  package func read(into buffer: inout MutableRawSpan) throws(SystemError) -> Int {
    try unsafe buffer.withUnsafeMutableBytes { bytes throws(SystemError) in
      try checked("read") { unsafe Glibc.read(number, bytes.baseAddress, bytes.count) }
    }
  }

  /// Reads what is there over the start of `buffer`, whose length stays; 0 is the end.
  package func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
    var span = buffer.mutableSpan
    var bytes = unsafe span.mutableBytes
    return try read(into: &bytes)
  }

  /// Reads over the start of `buffer` until it is full or the end has come, and returns how many bytes.
  package func readAll(into buffer: inout [UInt8]) throws(SystemError) -> Int {
    var span = buffer.mutableSpan
    var bytes = unsafe span.mutableBytes
    var done = 0
    while done < bytes.byteCount {
      var rest = bytes._mutatingExtracting(droppingFirst: done)
      let count = try read(into: &rest)
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Reads from a descriptor that does not block; nil where nothing is there now.
  package func readIfReady(into buffer: inout [UInt8]) throws(SystemError) -> Int? {
    do {
      return try read(into: &buffer)
    } catch let error where error.errno == .wouldBlock {
      return nil
    }
  }

  /// Reads from a position in the file, and leaves its own position where it is.
  package func read(
    into buffer: inout MutableRawSpan, at offset: Int64
  ) throws(SystemError) -> Int {
    try unsafe buffer.withUnsafeMutableBytes { bytes throws(SystemError) in
      try checked("pread") {
        unsafe pread(number, bytes.baseAddress, bytes.count, off_t(offset))
      }
    }
  }

  /// Reads from a position in the file over the start of `buffer`, whose length stays.
  package func read(into buffer: inout [UInt8], at offset: Int64) throws(SystemError) -> Int {
    var span = buffer.mutableSpan
    var bytes = unsafe span.mutableBytes
    return try read(into: &bytes, at: offset)
  }

  /// Writes from the start of `bytes` and returns how many the kernel took, which may be fewer.
  package func write(_ bytes: RawSpan) throws(SystemError) -> Int {
    try unsafe bytes.withUnsafeBytes { bytes throws(SystemError) in
      try checked("write") { unsafe Glibc.write(number, bytes.baseAddress, bytes.count) }
    }
  }

  /// Writes to a descriptor that does not block; nil where it takes nothing now.
  package func writeIfReady(_ bytes: Span<UInt8>) throws(SystemError) -> Int? {
    do {
      return try write(unsafe bytes.bytes)
    } catch let error where error.errno == .wouldBlock {
      return nil
    }
  }

  /// Writes at a position in the file and returns how many bytes the kernel took.
  package func write(_ bytes: RawSpan, at offset: Int64) throws(SystemError) -> Int {
    try unsafe bytes.withUnsafeBytes { bytes throws(SystemError) in
      try checked("pwrite") {
        unsafe pwrite(number, bytes.baseAddress, bytes.count, off_t(offset))
      }
    }
  }

  /// Writes all of `bytes`; when it throws, some of them may have been written.
  package func writeAll(_ bytes: RawSpan) throws(SystemError) {
    var written = 0
    while written < bytes.byteCount {
      written += try write(bytes.extracting(droppingFirst: written))
    }
  }

  /// Writes all of `bytes`; when it throws, some of them may have been written.
  package func writeAll(_ bytes: Span<UInt8>) throws(SystemError) {
    try writeAll(unsafe bytes.bytes)
  }

  /// Writes all of `bytes` at a position in the file.
  package func writeAll(_ bytes: RawSpan, at offset: Int64) throws(SystemError) {
    var written = 0
    while written < bytes.byteCount {
      let rest = bytes.extracting(droppingFirst: written)
      written += try write(rest, at: offset + Int64(written))
    }
  }

  /// Reads to the end, or throws `tooLarge` once there are more than `limit` bytes.
  package func readAll(upTo limit: Int) throws(SystemError) -> [UInt8] {
    var collected: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(limit, 16_383) + 1)
    while true {
      let count = try read(into: &chunk)
      if count == 0 { return collected }
      collected.append(contentsOf: chunk[..<count])
      if collected.count > limit { throw SystemError("read", errno: .tooLarge) }
    }
  }

  /// Waits until the file's bytes and its metadata are on the disk.
  package func synchronize() throws(SystemError) {
    try checked("fsync") { fsync(number) }
  }

  /// Waits until the file's bytes, and the length needed to read them, are on the disk.
  package func synchronizeData() throws(SystemError) {
    try checked("fdatasync") { fdatasync(number) }
  }

  /// Cuts the file, or extends it with zeros.
  package func truncate(to length: Int64) throws(SystemError) {
    try checked("ftruncate") { ftruncate(number, off_t(length)) }
  }

  /// Bytes that an unprivileged user can still write on this file's filesystem.
  package func freeSpace() throws(SystemError) -> Int64 {
    var answer = statvfs()
    try checked("fstatvfs") { unsafe fstatvfs(number, &answer) }
    return answer.freeBytes
  }
}
