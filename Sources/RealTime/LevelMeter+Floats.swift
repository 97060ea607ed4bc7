extension LevelMeter {
  /// Adds whole frames to the measurement of a meter of `float32`.
  package mutating func measure(_ samples: Span<Float>) { measure(unsafe samples.bytes) }
}
