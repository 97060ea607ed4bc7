package import Audio

/// Turns samples of one format into samples of another.
///
/// Full scale, ±1 of a float, is ±2^(bits − 1) of an integer format: a power of two, so that every
/// integer comes back from a format that can hold it. +1 itself saturates at the largest code, one
/// step below; so does all that is beyond, and infinity. NaN becomes 0 in an integer format; a
/// float format keeps NaN, infinity and what is beyond full scale. Between equal formats bytes are
/// copied.
package struct SampleConversion: Hashable, Sendable {
  /// The format of the samples that come in.
  package let source: SampleFormat
  /// The format of the samples that go out.
  package let target: SampleFormat
  /// True where the target is an integer format with fewer bits than the source can carry.
  ///
  /// Decided by the formats, never by the samples: noise that came and went would be audible.
  package let losesBits: Bool

  private let isFromFloat: Bool
  private let isToFloat: Bool
  private let isCopy: Bool
  private let isWidening: Bool
  private let isNarrowing: Bool
  private let sourceSize: Int
  private let targetSize: Int
  private let step: Double

  /// The conversion between two formats, of any kind.
  package init(from source: SampleFormat, to target: SampleFormat) {
    self.source = source
    self.target = target
    losesBits = !target.isFloat && target.significantBits < source.significantBits
    isFromFloat = source == .float32
    isToFloat = target == .float32
    isCopy = source == target
    isWidening = source == .int16 && target == .float32
    isNarrowing = source == .float32 && target == .int16
    sourceSize = source.bytesPerSample
    targetSize = target.bytesPerSample
    step = 1 / Double(1 << (target.significantBits - 1))
  }

  /// Converts every sample, rounding to the nearest; nothing changes where the target can hold it.
  ///
  /// - Parameter target: has room for all of `samples`.
  @_noLocks @_noAllocation
  package func convert(_ samples: RawSpan, into target: inout MutableRawSpan) {
    var none: Dither?
    convert(samples, into: &target, adding: &none)
  }

  /// Converts every sample, with noise added where the formats lose bits; else as without noise.
  ///
  /// For sound that was computed, or that has to lose bits. A sample of exactly 0 stays 0, so that
  /// digital silence stays digital silence and differs from a quiet room; since its mean error is 0
  /// like that of all others, no distortion comes back with it.
  @_noLocks @_noAllocation
  package func convert(
    _ samples: RawSpan, into target: inout MutableRawSpan, dithering noise: inout Dither
  ) {
    var dither: Dither? = losesBits ? noise : nil
    convert(samples, into: &target, adding: &dither)
    if let dither { noise = dither }
  }

  @_noLocks @_noAllocation
  private func convert(
    _ samples: RawSpan, into target: inout MutableRawSpan, adding dither: inout Dither?
  ) {
    let (count, room) = (samples.byteCount / sourceSize, target.byteCount / targetSize)
    let isWhole = count * sourceSize == samples.byteCount
    precondition(isWhole, "there is part of a sample")
    precondition(count <= room, "the samples do not fit")
    if isCopy { return target.copy(samples.byteCount, from: samples, at: 0, to: 0) }
    if isWidening { return Self.widen(count, of: samples, into: &target) }
    if isNarrowing && dither == nil { return Self.narrow(count, of: samples, into: &target) }
    var storage = NumberStorage(repeating: 0)
    var numbers = storage.mutableSpan
    var first = 0
    while first < count {
      let part = min(numbers.count, count - first)
      numbers.read(part, from: samples, at: first, as: source)
      dither?.add(to: &numbers, part, step: step)
      numbers.write(part, to: &target, at: first, as: self.target)
      first += part
    }
  }
}

/// Conversions between 16 bits and floats, which every playing sound needs. They compute in `Float`,
/// which holds each step exactly, and skip the `Double` numbers of the others.
extension SampleConversion {
  @_noLocks @_noAllocation
  private static func widen(_ count: Int, of samples: RawSpan, into target: inout MutableRawSpan) {
    for index in 0..<count {
      let code = unsafe samples.unsafeLoadUnaligned(
        fromUncheckedByteOffset: index &* 2, as: Int16.self)
      unsafe target.storeBytes(
        of: Float(code) * 0x1p-15, toUncheckedByteOffset: index &* 4, as: Float.self)
    }
  }

  @_noLocks @_noAllocation
  private static func narrow(_ count: Int, of samples: RawSpan, into target: inout MutableRawSpan) {
    for index in 0..<count {
      let sample = unsafe samples.unsafeLoadUnaligned(
        fromUncheckedByteOffset: index &* 4, as: Float.self)
      let real = sample == sample ? sample * 0x1p15 : 0
      let inside = min(max(real, -0x1p15), 0x1p15 - 1)
      // As in `Numbers`: the sum is rounded, and its low bits are the code.
      let code = Int16(truncatingIfNeeded: (inside + 0x1.8p23).bitPattern)
      unsafe target.storeBytes(of: code, toUncheckedByteOffset: index &* 2, as: Int16.self)
    }
  }
}

extension SampleConversion {
  /// Converts every sample into floats, without noise; the target format is `float32`.
  @_noLocks @_noAllocation
  package func convert(_ samples: RawSpan, into floats: inout MutableSpan<Float>) {
    precondition(isToFloat, "the target is not float32")
    var bytes = unsafe floats.mutableBytes
    convert(samples, into: &bytes)
  }

  /// Converts floats, with noise added where the target loses bits; the source format is `float32`.
  ///
  /// Without the attributes, since the compiler takes the end of a `RawSpan` that is made here for
  /// a deallocation; what it calls has them.
  package func convert(
    _ floats: Span<Float>, into target: inout MutableRawSpan, dithering noise: inout Dither
  ) {
    precondition(isFromFloat, "the source is not float32")
    unsafe convert(floats.bytes, into: &target, dithering: &noise)
  }
}

/// Noise that turns the error of rounding into a steady hiss, independent of the sound.
///
/// Two uniform numbers are added for each sample: a triangle two steps wide. Then the mean of the
/// error and its power, a quarter of a square step, are the same for every value of the sound.
/// The same seed gives the same noise, whatever the size of the blocks.
package struct Dither: Sendable {
  private var state: UInt64

  /// Noise that begins at a place of its own for each seed.
  package init(seed: UInt64) { state = seed }

  /// Adds noise to the first `count` numbers, whose target format has steps of `step`.
  ///
  /// A number of exactly 0 stays 0; its noise is drawn all the same.
  @_noLocks @_noAllocation
  mutating func add(to numbers: inout Numbers, _ count: Int, step: Double) {
    let available = numbers.count
    precondition(count <= available, "there are fewer numbers")
    for index in 0..<count {
      let number = unsafe numbers[unchecked: index]
      let noise = next() * step
      unsafe numbers[unchecked: index] = number == 0 ? 0 : number + noise
    }
  }

  /// The next number of the noise, −1 to 1.
  @inline(__always)
  private mutating func next() -> Double {
    // SplitMix64 (Steele, Lea, Flood 2014): a counter and a hash of it, so that one number does not
    // wait for the one before.
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    let first = Int32(truncatingIfNeeded: bits)
    let second = Int32(truncatingIfNeeded: bits >> 32)
    return (Double(first) + Double(second)) * 0x1p-32
  }
}
