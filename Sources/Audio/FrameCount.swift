/// A number of frames, or a position in a stream. One frame holds one sample for each channel.
package struct FrameCount: Hashable, Comparable, BitwiseCopyable, Sendable {
  /// The number itself. Only a difference can be negative.
  package var value: Int64

  /// The largest valid number. A stream needs centuries to reach this number, and hundreds of such
  /// numbers can be added without overflow.
  package static let most = FrameCount(1 << 52)

  /// A count of `value` frames.
  @inlinable package init(_ value: Int64) { self.value = value }
  /// A count of `value` frames.
  @inlinable package init(_ value: Int) { self.value = Int64(value) }

  /// The frames that fit into `duration`, rounded down.
  package init(_ duration: Duration, at rate: SampleRate) {
    let product = duration.attoseconds * Int128(rate.hertz)
    let (whole, rest) = product.quotientAndRemainder(dividingBy: .attosecondsPerSecond)
    self.value = Int64(rest < 0 ? whole - 1 : whole)
  }

  /// Returns the time that this number of frames lasts, rounded up to an attosecond.
  ///
  /// Because of the rounding, converting a count to a duration and back returns the same count. A
  /// duration that is slightly too short would be converted to one frame less.
  package func duration(at rate: SampleRate) -> Duration {
    let product = Int128(value) * .attosecondsPerSecond
    let (whole, rest) = product.quotientAndRemainder(dividingBy: Int128(rate.hertz))
    return Duration(attoseconds: rest > 0 ? whole + 1 : whole)
  }

  /// The shorter length comes first.
  @inlinable package static func < (left: FrameCount, right: FrameCount) -> Bool {
    left.value < right.value
  }
}

extension FrameCount: AdditiveArithmetic, ExpressibleByIntegerLiteral {
  /// A literal count of frames.
  @inlinable package init(integerLiteral value: Int64) { self.value = value }

  /// Returns the sum of two lengths at the same rate. Traps on overflow of 64 bits.
  @inlinable package static func + (left: FrameCount, right: FrameCount) -> FrameCount {
    FrameCount(left.value + right.value)
  }

  /// Returns the difference of two lengths at the same rate. It can be negative.
  @inlinable package static func - (left: FrameCount, right: FrameCount) -> FrameCount {
    FrameCount(left.value - right.value)
  }
}

extension Int128 {
  fileprivate static let attosecondsPerSecond: Int128 = 1_000_000_000_000_000_000
}

extension FrameCount {
  /// Converts a length from one rate to another, rounded to the nearest frame. The time stays the
  /// same. The result is limited to `most`, because an untrusted file may state any rate.
  package func converted(from rate: SampleRate, to other: SampleRate) -> FrameCount {
    if rate == other { return self }
    let doubled = Int128(value) * Int128(other.hertz) * 2 + Int128(rate.hertz)
    let most = Int128(Self.most.value)
    return FrameCount(Int64(max(-most, min(most, doubled / (Int128(rate.hertz) * 2)))))
  }
}
