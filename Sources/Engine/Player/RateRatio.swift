internal import Audio

/// How many frames at one rate are as many at another, without a rounding.
struct RateRatio: Hashable {
  private let from: Int64
  private let to: Int64

  init(from input: SampleRate, to output: SampleRate) {
    let divisor = Self.greatestCommonDivisor(input.hertz, output.hertz)
    from = Int64(input.hertz / divisor)
    to = Int64(output.hertz / divisor)
  }

  /// Whether the rates are the same.
  var isOne: Bool { from == to }

  /// What so many frames of the input make, to the nearest.
  func output(of input: FrameCount) -> FrameCount {
    let doubled = Int128(input.value) * Int128(to) * 2 + Int128(from)
    return FrameCount(Int64(clamping: doubled / (Int128(from) * 2)))
  }

  /// The last frame of the output up to `frame` that lies on one of the input, and that one.
  func meeting(notAfter frame: FrameCount) -> (input: FrameCount, output: FrameCount) {
    let times = frame.value / to
    return (FrameCount(times * from), FrameCount(times * to))
  }

  private static func greatestCommonDivisor(_ left: Int, _ right: Int) -> Int {
    right == 0 ? left : greatestCommonDivisor(right, left % right)
  }
}
