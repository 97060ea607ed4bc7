/// A number of frames, or a position in a stream; one frame holds one sample for each channel.
package struct FrameCount: Hashable, Comparable, BitwiseCopyable, Sendable {
  /// The number itself; negative only as a difference.
  package var value: Int64

  /// The largest number, more than any stream has in centuries: a larger one was made up. Hundreds
  /// of these can be added.
  package static let most = FrameCount(1 << 52)

  /// That many frames.
  @inlinable package init(_ value: Int64) { self.value = value }
  /// That many frames.
  @inlinable package init(_ value: Int) { self.value = Int64(value) }

  /// The frames that fit into `duration`, rounded down.
  package init(_ duration: Duration, at rate: SampleRate) {
    let product = duration.attoseconds * Int128(rate.hertz)
    let (whole, rest) = product.quotientAndRemainder(dividingBy: .attosecondsPerSecond)
    self.value = Int64(rest < 0 ? whole - 1 : whole)
  }

  /// The time that this many frames last, rounded up to an attosecond.
  ///
  /// Rounded up, because a duration that is too short by an attosecond holds one frame less: so
  /// every count comes back from its duration.
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
  /// A literal count of frames; unlike a count from a duration, no rate is involved.
  @inlinable package init(integerLiteral value: Int64) { self.value = value }

  /// The sum of two lengths at the same rate; traps past 64 bits.
  @inlinable package static func + (left: FrameCount, right: FrameCount) -> FrameCount {
    FrameCount(left.value + right.value)
  }

  /// The difference of two lengths at the same rate, which may be negative.
  @inlinable package static func - (left: FrameCount, right: FrameCount) -> FrameCount {
    FrameCount(left.value - right.value)
  }
}

extension Int128 {
  fileprivate static let attosecondsPerSecond: Int128 = 1_000_000_000_000_000_000
}

extension FrameCount {
  /// Converts a length from one rate to the same time at another, rounded to the nearest frame.
  package func converted(from rate: SampleRate, to other: SampleRate) -> FrameCount {
    if rate == other { return self }
    let doubled = Int128(value) * Int128(other.hertz) * 2 + Int128(rate.hertz)
    return FrameCount(Int64(clamping: doubled / (Int128(rate.hertz) * 2)))
  }
}
