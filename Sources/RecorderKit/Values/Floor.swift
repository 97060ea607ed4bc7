internal import Audio

/// Conversions between internal types and those of this library.

extension Level {
  init(_ level: Audio.Level) {
    self.init(peak: level.peak, rms: level.rms, clipped: level.clipped)
  }
}

extension AudioFormat {
  init(_ stream: StreamFormat) {
    self.init(
      rate: stream.rate.hertz, channels: stream.channels.value, sample: Sample(stream.sample))
  }

  /// The same format with `Float` samples.
  var floating: AudioFormat { AudioFormat(rate: rate, channels: channels) }
}

extension AudioFormat.Sample {
  init(_ sample: SampleFormat) {
    switch sample {
    case .int16: self = .int16
    case .int24Packed: self = .int24Packed
    case .int24: self = .int24
    case .int32: self = .int32
    case .float32: self = .float32
    case .float64: self = .float64
    }
  }

  /// The internal sample format.
  var floor: SampleFormat {
    switch self {
    case .int16: .int16
    case .int24Packed: .int24Packed
    case .int24: .int24
    case .int32: .int32
    case .float32: .float32
    case .float64: .float64
    }
  }
}
