internal import Files
internal import Recording

extension Resampler: RateConverter {
  typealias Failure = ResamplerError

  mutating func convert(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(ResamplerError) -> (consumed: Int, produced: Int) {
    let progress = try process(input, into: &output)
    return (progress.consumed, progress.produced)
  }

  mutating func drain(into output: inout MutableSpan<Float>) throws(ResamplerError) -> Int {
    try flush(into: &output)
  }
}
