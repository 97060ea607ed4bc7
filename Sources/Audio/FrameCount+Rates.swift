extension FrameCount {
  /// Converts a length from one rate to the same time at another, rounded to the nearest frame.
  package func converted(from rate: SampleRate, to other: SampleRate) -> FrameCount {
    if rate == other { return self }
    let doubled = Int128(value) * Int128(other.hertz) * 2 + Int128(rate.hertz)
    return FrameCount(Int64(clamping: doubled / (Int128(rate.hertz) * 2)))
  }
}
