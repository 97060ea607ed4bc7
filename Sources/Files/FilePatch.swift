/// Bytes that are written over a part of a file.
package struct FilePatch: Hashable, Sendable {
  package var offset: Int64
  package var bytes: [UInt8]

  package init(offset: Int64, bytes: [UInt8]) {
    self.offset = offset
    self.bytes = bytes
  }

  /// Returns whether the bytes are completely inside a file of `size` bytes.
  func fits(_ size: Int64) -> Bool { offset >= 0 && offset <= size - Int64(bytes.count) }

  func write(to file: CheckedFile) throws(SoundFileError) {
    try unsafe file.write(bytes.span.bytes, at: offset)
  }
}
