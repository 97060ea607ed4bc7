internal import Audio

/// Samples as numbers, with full scale at ±1, for conversions and meters.
///
/// A `Double` holds each sample of each format exactly. At most 256 numbers are processed in one
/// step, so that they fit into the first-level cache of the processor. The format is checked once
/// for each step, not for each sample.
typealias Numbers = MutableSpan<Double>

/// The memory for the numbers of one step.
///
/// Use it only through its span, because an access to an element of an inline array copies the
/// whole array.
typealias NumberStorage = InlineArray<256, Double>

extension Numbers {
  /// Reads `count` samples of `bytes`, starting at sample `first`.
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

  /// The top byte is shifted out, because devices can store any value in it.
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

extension Numbers {
  /// Writes the first `count` numbers to `bytes`, starting at sample `first`.
  @_noLocks @_noAllocation
  func write(_ count: Int, to bytes: inout MutableRawSpan, at first: Int, as format: SampleFormat) {
    let available = self.count
    precondition(count <= available, "there are fewer numbers")
    switch format {
    case .int16: writeInt16(count, to: &bytes, at: first)
    case .int24Packed: writeInt24Packed(count, to: &bytes, at: first)
    case .int24: writeInt32(count, 0x1p23, to: &bytes, at: first)
    case .int32: writeInt32(count, 0x1p31, to: &bytes, at: first)
    case .float32: writeFloat32(count, to: &bytes, at: first)
    case .float64: writeFloat64(count, to: &bytes, at: first)
    }
  }

  private func writeInt16(_ count: Int, to bytes: inout MutableRawSpan, at first: Int) {
    for index in 0..<count {
      let code = Self.code(unsafe self[unchecked: index], fullScale: 0x1p15)
      unsafe bytes.storeBytes(
        of: Int16(truncatingIfNeeded: code), toUncheckedByteOffset: (first &+ index) &* 2,
        as: Int16.self)
    }
  }

  private func writeInt24Packed(_ count: Int, to bytes: inout MutableRawSpan, at first: Int) {
    for index in 0..<count {
      let code = Self.code(unsafe self[unchecked: index], fullScale: 0x1p23)
      let offset = (first &+ index) &* 3
      unsafe bytes.storeBytes(
        of: UInt16(truncatingIfNeeded: code), toUncheckedByteOffset: offset, as: UInt16.self)
      unsafe bytes.storeBytes(
        of: UInt8(truncatingIfNeeded: code >> 16), toUncheckedByteOffset: offset &+ 2,
        as: UInt8.self)
    }
  }

  private func writeInt32(
    _ count: Int, _ fullScale: Double, to bytes: inout MutableRawSpan, at first: Int
  ) {
    for index in 0..<count {
      let code = Self.code(unsafe self[unchecked: index], fullScale: fullScale)
      unsafe bytes.storeBytes(
        of: code, toUncheckedByteOffset: (first &+ index) &* 4, as: Int32.self)
    }
  }

  private func writeFloat32(_ count: Int, to bytes: inout MutableRawSpan, at first: Int) {
    for index in 0..<count {
      let number = unsafe self[unchecked: index]
      unsafe bytes.storeBytes(
        of: Float(number), toUncheckedByteOffset: (first &+ index) &* 4, as: Float.self)
    }
  }

  private func writeFloat64(_ count: Int, to bytes: inout MutableRawSpan, at first: Int) {
    for index in 0..<count {
      let number = unsafe self[unchecked: index]
      unsafe bytes.storeBytes(
        of: number, toUncheckedByteOffset: (first &+ index) &* 8, as: Double.self)
    }
  }

  /// Returns the nearest code. A number halfway between two codes becomes the even code. Numbers
  /// beyond full scale saturate, and NaN becomes 0.
  @inline(__always)
  private static func code(_ number: Double, fullScale: Double) -> Int32 {
    let real = number == number ? number * fullScale : 0
    let notBelow = real > -fullScale ? real : -fullScale
    let inside = notBelow < fullScale - 1 ? notBelow : fullScale - 1
    // At the size of this constant, a Double has no bits for fractions. So the addition rounds the
    // sum, and its low bits are the code. `rounded()` would call libm for each sample.
    return Int32(truncatingIfNeeded: (inside + 0x1.8p52).bitPattern)
  }
}
