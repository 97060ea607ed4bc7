package import Audio

/// A conversion of samples from one format to another.
///
/// Full scale is ±1 in a float format, and ±2^(bits − 1) in an integer format. Because both limits
/// are powers of two, an integer does not change if it is converted to a larger format and back. In
/// an integer format, +1 and all higher values become the largest code, which is one step lower
/// than +1. Values below −1 become the lowest code. NaN becomes 0 in an integer format. A float
/// format keeps NaN, infinity and values beyond full scale. If the formats are equal, the bytes are
/// copied.
package struct SampleConversion: Hashable, Sendable {
  /// The format of the input samples.
  package let source: SampleFormat
  /// The format of the output samples.
  package let target: SampleFormat
  /// Whether the target is an integer format with fewer bits than the source can carry.
  ///
  /// If so, noise can be added to the samples. The value depends only on the formats, not on the
  /// samples, because noise that starts and stops would be audible.
  package let losesBits: Bool

  private let isFromFloat: Bool
  private let isToFloat: Bool
  private let isCopy: Bool
  private let isWidening: Bool
  private let isNarrowing: Bool
  private let sourceSize: Int
  private let targetSize: Int
  private let step: Double

  /// A conversion between any two formats.
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

  /// Converts every sample, rounding to the nearest value. A sample does not change if the target
  /// format can represent it.
  ///
  /// - Parameter target: has room for all of `samples`.
  @_noLocks @_noAllocation
  package func convert(_ samples: RawSpan, into target: inout MutableRawSpan) {
    var none: Dither?
    convert(samples, into: &target, adding: &none)
  }

  /// Converts every sample. Adds noise if `losesBits` is true.
  ///
  /// Use it for computed sound, and for sound that is stored with fewer bits. A sample of exactly 0
  /// gets no noise, so digital silence remains different from a quiet room. This causes no
  /// distortion, because the mean error is 0, as for all other samples.
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
    if isNarrowing { return Self.narrow(count, of: samples, into: &target, adding: &dither) }
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

/// Conversions between 16-bit integers and floats. Every playing sound and every take from PipeWire
/// needs them. They compute in `Float`, which represents each 16-bit step exactly. The other
/// conversions compute in `Double`.
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
  private static func narrow(
    _ count: Int, of samples: RawSpan, into target: inout MutableRawSpan,
    adding dither: inout Dither?
  ) {
    guard var noise = dither else {
      for index in 0..<count {
        let steps = Self.steps(of: samples, at: index)
        unsafe target.storeBytes(
          of: code(steps), toUncheckedByteOffset: index &* 2, as: Int16.self)
      }
      return
    }
    for index in 0..<count {
      let steps = Self.steps(of: samples, at: index)
      let sum = steps == 0 ? 0 : steps + Float(noise.number(at: index)) * 0x1p-16
      unsafe target.storeBytes(of: code(sum), toUncheckedByteOffset: index &* 2, as: Int16.self)
    }
    noise.advance(by: count)
    dither = noise
  }

  /// Returns a sample as a number of 16-bit steps. NaN becomes 0.
  @inline(__always)
  private static func steps(of samples: RawSpan, at index: Int) -> Float {
    let sample = unsafe samples.unsafeLoadUnaligned(
      fromUncheckedByteOffset: index &* 4, as: Float.self)
    return sample == sample ? sample * 0x1p15 : 0
  }

  /// Returns the nearest code, as `Numbers` does: the addition rounds the sum, and its low bits are
  /// the code.
  @inline(__always)
  private static func code(_ steps: Float) -> Int16 {
    let inside = min(max(steps, -0x1p15), 0x1p15 - 1)
    return Int16(truncatingIfNeeded: (inside + 0x1.8p23).bitPattern)
  }
}

extension SampleConversion {
  /// Converts every sample without noise, and stores the result at the beginning of an array. The
  /// array must have room for all samples.
  package func convert<Number: BitwiseCopyable>(_ samples: RawSpan, into numbers: inout [Number]) {
    var span = numbers.mutableSpan
    var bytes = unsafe span.mutableBytes
    convert(samples, into: &bytes)
  }

  /// Returns the converted samples, without noise, as floats or as bytes.
  package func converted<Number: BitwiseCopyable & ExpressibleByIntegerLiteral>(
    _ samples: RawSpan
  ) -> [Number] {
    let bytes = samples.byteCount / sourceSize * targetSize
    var numbers = [Number](repeating: 0, count: bytes / MemoryLayout<Number>.size)
    convert(samples, into: &numbers)
    return numbers
  }
}

extension SampleConversion {
  /// Converts every sample to floats, without noise. The target format is `float32`.
  @_noLocks @_noAllocation
  package func convert(_ samples: RawSpan, into floats: inout MutableSpan<Float>) {
    precondition(isToFloat, "the target is not float32")
    var bytes = unsafe floats.mutableBytes
    convert(samples, into: &bytes)
  }

  /// Converts floats, and adds noise if the target loses bits. The source format is `float32`.
  ///
  /// This function is not `@_noAllocation`, because the compiler treats the end of its `RawSpan` as
  /// a deallocation. The called function is `@_noAllocation`.
  package func convert(
    _ floats: Span<Float>, into target: inout MutableRawSpan, dithering noise: inout Dither
  ) {
    precondition(isFromFloat, "the source is not float32")
    unsafe convert(floats.bytes, into: &target, dithering: &noise)
  }
}

/// Noise that turns the rounding error into a steady hiss, independent of the sound.
///
/// For each sample, the noise is the sum of two uniformly distributed numbers. So its distribution
/// is triangular and two steps wide. This gives the error a mean of 0 and a power of a quarter of a
/// squared step, for every value of the sound. The value 0 is an exception: it does not change. The
/// same seed gives the same noise for any size of the blocks.
package struct Dither: Sendable {
  /// Each number of the noise is a hash of a counter, so that the processor can compute several
  /// numbers at the same time. After 2³² samples the noise repeats.
  private var counter: UInt32

  /// Noise that starts at a different point for each seed.
  package init(seed: UInt64) {
    counter = UInt32(truncatingIfNeeded: (seed &* 0x9E37_79B9_7F4A_7C15) >> 32)
  }

  /// Adds noise to the first `count` numbers. `step` is the distance between two values of the
  /// target format.
  ///
  /// A number of exactly 0 stays 0, and its noise is skipped.
  @_noLocks @_noAllocation
  mutating func add(to numbers: inout Numbers, _ count: Int, step: Double) {
    let available = numbers.count
    precondition(count <= available, "there are fewer numbers")
    for index in 0..<count {
      let number = unsafe numbers[unchecked: index]
      let noise = Double(self.number(at: index)) * (step * 0x1p-16)
      unsafe numbers[unchecked: index] = number == 0 ? 0 : number + noise
    }
    advance(by: count)
  }

  /// Returns a number of the noise, in 65,536ths of a step, from −65,535 to 65,535.
  @inline(__always)
  func number(at index: Int) -> Int32 {
    // The constants are those of “lowbias32” (Wellons 2018).
    var bits = counter &+ UInt32(truncatingIfNeeded: index)
    bits = (bits ^ (bits >> 16)) &* 0x7FEB_352D
    bits = (bits ^ (bits >> 15)) &* 0x846C_A68B
    bits ^= bits >> 16
    let (first, second) = (bits & 0xFFFF, bits >> 16)
    return Int32(truncatingIfNeeded: first &+ second) &- 65_535
  }

  /// Moves the start of the noise by a number of samples.
  mutating func advance(by count: Int) { counter &+= UInt32(truncatingIfNeeded: count) }
}
