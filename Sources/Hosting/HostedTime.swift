internal import Audio

extension Duration {
  /// From nothing to a century: what lies beyond cannot be counted in frames or nanoseconds.
  var limited: Duration { min(max(.zero, self), .seconds(100 * 365 * 86_400)) }

  /// The whole nanoseconds of it.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}

extension FrameCount {
  /// The frame that is nearest to a time, which may come from a number that is not exact.
  init(nearest time: Duration, at rate: SampleRate) {
    self.init(time + FrameCount(1).duration(at: rate) / 2, at: rate)
  }
}
