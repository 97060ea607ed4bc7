extension LevelMeter {
  /// Adds whole frames to what a meter of `float32` holds.
  package mutating func measure(_ samples: Span<Float>) { measure(unsafe samples.bytes) }
}
