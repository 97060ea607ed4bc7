internal import Audio

extension Numbers {
  /// Reads `count` samples of `bytes` from sample `first` on.
  @_noLocks @_noAllocation
  mutating func read(_ count: Int, from bytes: RawSpan, at first: Int, as format: SampleFormat) {
    let room = self.count
    precondition(count <= room, "there are more samples than numbers")
    switch format {
    case .int16: readInt16(count, from: bytes, at: first)
    case .int24Packed: readInt24Packed(count, from: bytes, at: first)
    case .int24: readInt24(count, from: bytes, at: first)
    case .int32: readInt32(count, from: bytes, at: first)
    case .float32: readFloat32(count, from: bytes, at: first)
    case .float64: readFloat64(count, from: bytes, at: first)
    }
  }

  private mutating func readInt16(_ count: Int, from bytes: RawSpan, at first: Int) {
    for index in 0..<count {
      let sample = unsafe bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: (first &+ index) &* 2, as: Int16.self)
      unsafe self[unchecked: index] = Double(sample) * 0x1p-15
    }
  }

  private mutating func readInt24Packed(_ count: Int, from bytes: RawSpan, at first: Int) {
    for index in 0..<count {
      let offset = (first &+ index) &* 3
      let low = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self)
      let high = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset &+ 2, as: Int8.self)
      unsafe self[unchecked: index] = Double((Int32(high) << 16) | Int32(low)) * 0x1p-23
    }
  }

  /// Devices leave anything in the top byte, so it is shifted out.
  private mutating func readInt24(_ count: Int, from bytes: RawSpan, at first: Int) {
    for index in 0..<count {
      let sample = unsafe bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: (first &+ index) &* 4, as: Int32.self)
      unsafe self[unchecked: index] = Double(sample << 8) * 0x1p-31
    }
  }

  private mutating func readInt32(_ count: Int, from bytes: RawSpan, at first: Int) {
    for index in 0..<count {
      let sample = unsafe bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: (first &+ index) &* 4, as: Int32.self)
      unsafe self[unchecked: index] = Double(sample) * 0x1p-31
    }
  }

  private mutating func readFloat32(_ count: Int, from bytes: RawSpan, at first: Int) {
    for index in 0..<count {
      let sample = unsafe bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: (first &+ index) &* 4, as: Float.self)
      unsafe self[unchecked: index] = Double(sample)
    }
  }

  private mutating func readFloat64(_ count: Int, from bytes: RawSpan, at first: Int) {
    for index in 0..<count {
      let sample = unsafe bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: (first &+ index) &* 8, as: Double.self)
      unsafe self[unchecked: index] = sample
    }
  }
}
