/// A number of frames, or a position in a stream counted in frames; one frame holds one sample for each channel.
package struct FrameCount: Hashable, Comparable, Sendable {
  /// The number itself; negative only as a difference.
  package var value: Int64

  @inlinable package init(_ value: Int64) { self.value = value }
  @inlinable package init(_ value: Int) { self.value = Int64(value) }

  /// The frames that start within `duration`, rounded down.
  package init(_ duration: Duration, at rate: SampleRate) {
    let (seconds, attoseconds) = duration.components
    let hertz = Int64(rate.hertz)
    let fraction = Int128(attoseconds) * Int128(hertz) / 1_000_000_000_000_000_000
    self.value = seconds * hertz + Int64(fraction)
  }

  /// How long this many frames last.
  package func duration(at rate: SampleRate) -> Duration {
    let hertz = Int64(rate.hertz)
    let (whole, rest) = value.quotientAndRemainder(dividingBy: hertz)
    let attoseconds = Int128(rest) * 1_000_000_000_000_000_000 / Int128(hertz)
    return Duration(secondsComponent: whole, attosecondsComponent: Int64(attoseconds))
  }

  @inlinable package static func < (left: FrameCount, right: FrameCount) -> Bool {
    left.value < right.value
  }
}

extension FrameCount: AdditiveArithmetic, ExpressibleByIntegerLiteral {
  @inlinable package init(integerLiteral value: Int64) { self.value = value }

  @inlinable package static func + (left: FrameCount, right: FrameCount) -> FrameCount {
    FrameCount(left.value + right.value)
  }

  @inlinable package static func - (left: FrameCount, right: FrameCount) -> FrameCount {
    FrameCount(left.value - right.value)
  }
}
