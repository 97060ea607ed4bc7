internal import Audio
internal import Playback

/// Conversions between internal types and the types of this library.

extension Level {
  init(_ level: Audio.Level) {
    self.init(peak: level.peak, rms: level.rms, clipped: level.clipped)
  }
}

extension AudioFormat {
  init(_ stream: StreamFormat) {
    self.init(
      sampleRate: stream.rate.hertz, channelCount: stream.channels.value,
      sampleFormat: SampleFormat(stream.sample))
  }

  /// The internal format. Throws if the rate or the number of channels is out of range.
  var stream: StreamFormat {
    get throws(RecorderError) {
      guard let rate = SampleRate(sampleRate), let channels = ChannelCount(channelCount) else {
        throw .format(
          "\(sampleRate) Hz with \(counted(channelCount, "channel"))",
          alternatives: ["1 to 768,000 Hz", "1 to 1,024 channels"])
      }
      return StreamFormat(rate: rate, channels: channels, sample: Audio.SampleFormat(sampleFormat))
    }
  }
}

extension AudioFormat.SampleFormat {
  init(_ sample: Audio.SampleFormat) {
    // Both types have the same cases.
    self = Self.allCases.first { Audio.SampleFormat($0) == sample } ?? .float32
  }
}

extension Audio.SampleFormat {
  init(_ sample: AudioFormat.SampleFormat) {
    switch sample {
    case .int16: self = .int16
    case .int24Packed: self = .int24Packed
    case .int24: self = .int24
    case .int32: self = .int32
    case .float32: self = .float32
    case .float64: self = .float64
    }
  }
}

extension Levels {
  init(_ levels: VoiceLevels) {
    let channels = (0..<levels.count).map { channel in
      Level(peak: Double(levels.peak(of: channel)), rms: Double(levels.rms(of: channel)))
    }
    let squares = channels.reduce(0) { $0 + $1.rms * $1.rms }
    self.init(
      all: Level(
        peak: channels.map(\.peak).max() ?? 0,
        rms: channels.isEmpty ? 0 : (squares / Double(channels.count)).squareRoot()),
      channels: channels)
  }
}
