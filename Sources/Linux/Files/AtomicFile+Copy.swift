extension AtomicFile {
  /// The name in the temporary files of copies, so that none is mistaken for that of a written
  /// file.
  private static let copies = "copy"

  /// Copies all of an open file to `name`, or throws `exists` where something has that name.
  ///
  /// Once this returns, the copy survives a power cut; when it throws, nothing is left of it.
  package static func copy(
    _ source: borrowing Descriptor, to name: String, in directory: borrowing Directory,
    mode: UInt32 = 0o600
  ) throws(SystemError) {
    let temporary = try temporaryName(of: copies)
    let file = try directory.open(
      temporary, [.writeOnly, .create, .exclusive, .noFollow], mode: mode)
    do {
      try copy(source, into: file)
      try file.synchronize()
      try directory.renameWithoutReplacing(temporary, to: name)
    } catch {
      try? directory.remove(temporary)
      throw error
    }
    try directory.synchronize()
  }

  /// Removes what copies that were killed have left; only under a lock that every copy into it takes.
  package static func removeUnfinishedCopies(in directory: borrowing Directory) throws(SystemError)
  {
    try removeLeftovers(of: copies, in: directory)
  }

  // Positioned reads, because the caller may have read a part of it.
  private static func copy(
    _ source: borrowing Descriptor, into file: borrowing Descriptor
  ) throws(SystemError) {
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    var offset: Int64 = 0
    while true {
      let count = try source.read(into: &chunk, at: offset)
      if count == 0 { return }
      try file.writeAll(chunk.span.extracting(first: count))
      offset += Int64(count)
    }
  }
}
