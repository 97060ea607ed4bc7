internal import Audio

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
  /// Without the attributes, since the compiler takes the end of a `RawSpan` that is made here for a
  /// deallocation; what it calls has them.
  package func convert(
    _ floats: Span<Float>, into target: inout MutableRawSpan, dithering noise: inout Dither
  ) {
    precondition(isFromFloat, "the source is not float32")
    unsafe convert(floats.bytes, into: &target, dithering: &noise)
  }
}
