internal import Audio

extension ChannelMap {
  /// Maps whole frames of floats.
  ///
  /// - Parameter mapped: has room for as many frames.
  package func apply(to frames: Span<Float>, into mapped: inout MutableSpan<Float>) {
    if isSelection {
      var bytes = unsafe mapped.mutableBytes
      return unsafe select(from: frames.bytes, bytesPerSample: 4, into: &bytes)
    }
    let (inputs, outputs) = (sources.value, targets.value)
    let weights = weights.span
    for frame in 0..<frames.count / inputs {
      for output in 0..<outputs {
        var sum: Float = 0
        for input in 0..<inputs {
          let weight = weights[output * inputs + input]
          // A weight of 0 skips the channel even where its sample is no number.
          if weight != 0 { sum += weight * frames[frame * inputs + input] }
        }
        mapped[frame * outputs + output] = sum
      }
    }
  }

  /// Selects the channels of whole frames of any format, bit for bit.
  ///
  /// - Parameter selected: has room for as many frames.
  package func select(
    from frames: RawSpan, bytesPerSample size: Int, into selected: inout MutableRawSpan
  ) {
    guard let selection else { preconditionFailure("this map mixes channels") }
    let (inputs, outputs) = (sources.value, targets.value)
    for frame in 0..<frames.byteCount / (inputs * size) {
      for output in 0..<outputs {
        selected.copy(
          size, from: frames, at: (frame * inputs + selection[output]) * size,
          to: (frame * outputs + output) * size)
      }
    }
  }
}
