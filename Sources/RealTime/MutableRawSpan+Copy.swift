extension MutableRawSpan {
  /// Copies `count` bytes from `source`, starting at offset `first`, to offset `target` in this
  /// span.
  ///
  /// It uses a loop, because the compiler cannot prove that `copyMemory` neither locks nor
  /// allocates. In an optimized build, the loop is as fast as `copyMemory`.
  @_noLocks @_noAllocation
  package mutating func copy(_ count: Int, from source: RawSpan, at first: Int, to target: Int) {
    let (waiting, room) = (source.byteCount - first, byteCount - target)
    precondition(first >= 0 && count <= waiting, "there are fewer bytes")
    precondition(target >= 0 && count <= room, "the bytes do not fit")
    var offset = 0
    while offset <= count - 8 {
      let word = unsafe source.unsafeLoadUnaligned(
        fromUncheckedByteOffset: first + offset, as: UInt64.self)
      unsafe storeBytes(of: word, toUncheckedByteOffset: target + offset, as: UInt64.self)
      offset += 8
    }
    while offset < count {
      let byte = unsafe source.unsafeLoad(fromUncheckedByteOffset: first + offset, as: UInt8.self)
      unsafe storeBytes(of: byte, toUncheckedByteOffset: target + offset, as: UInt8.self)
      offset += 1
    }
  }
}
