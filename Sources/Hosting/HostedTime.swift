internal import Audio

extension Duration {
  /// The duration, limited to 0 to 100 years. Longer times cannot be counted in frames or
  /// nanoseconds.
  var limited: Duration { min(max(.zero, self), .seconds(100 * 365 * 86_400)) }

  /// The number of whole nanoseconds.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}

extension FrameCount {
  /// The frame nearest to a time. The time may be inexact, because it may come from a
  /// floating-point number.
  init(nearest time: Duration, at rate: SampleRate) {
    self.init(time + FrameCount(1).duration(at: rate) / 2, at: rate)
  }
}
