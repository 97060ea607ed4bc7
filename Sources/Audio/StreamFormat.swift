/// The format of a stream of interleaved frames.
package struct StreamFormat: Hashable, Sendable {
  /// Frames per second.
  package var rate: SampleRate
  /// Samples per frame.
  package var channels: ChannelCount
  /// The layout of each sample in memory.
  package var sample: SampleFormat

  /// A format with a rate, channels and samples.
  package init(rate: SampleRate, channels: ChannelCount, sample: SampleFormat) {
    self.rate = rate
    self.channels = channels
    self.sample = sample
  }

  /// The size of one frame in bytes.
  package var bytesPerFrame: Int { channels.value * sample.bytesPerSample }

  /// The size of one second in bytes.
  package var bytesPerSecond: Int { bytesPerFrame * rate.hertz }
}

extension StreamFormat: CustomStringConvertible {
  /// `48000 Hz, stereo, S16`.
  package var description: String { "\(rate), \(channels), \(sample)" }
}

/// The layout of one sample in memory: little-endian, signed, interleaved by frames.
package enum SampleFormat: String, Hashable, CaseIterable, Sendable {
  /// 16 bits in two bytes; ALSA's `S16_LE`.
  case int16 = "S16"
  /// 24 bits in three bytes; ALSA's `S24_3LE`.
  case int24Packed = "S24_3"
  /// 24 bits in the low three bytes of four; ALSA's `S24_LE`.
  case int24 = "S24"
  /// 32 bits in four bytes; ALSA's `S32_LE`.
  case int32 = "S32"
  /// −1 to 1 in four bytes; ALSA's `FLOAT_LE`.
  case float32 = "FLOAT"
  /// −1 to 1 in eight bytes; ALSA's `FLOAT64_LE`.
  case float64 = "FLOAT64"

  /// The size of one sample in bytes.
  package var bytesPerSample: Int {
    switch self {
    case .int16: 2
    case .int24Packed: 3
    case .int24, .int32, .float32: 4
    case .float64: 8
    }
  }

  /// The number of bits that carry sound in a sample. For a floating-point format, it is the size
  /// of the significand.
  package var significantBits: Int {
    switch self {
    case .int16: 16
    case .int24Packed, .int24, .float32: 24
    case .int32: 32
    case .float64: 53
    }
  }

  /// Whether the samples are floating-point numbers.
  package var isFloat: Bool { self == .float32 || self == .float64 }
}

extension SampleFormat: CustomStringConvertible {
  /// The raw value, such as `S24_3`.
  package var description: String { rawValue }
}

/// The number of frames per second of a stream.
package struct SampleRate: Hashable, Comparable, Sendable {
  /// Frames per second, 1 to 768,000.
  package let hertz: Int

  /// A rate, or nil if it is outside 1 to 768,000.
  package init?(_ hertz: Int) {
    guard (1...768_000).contains(hertz) else { return nil }
    self.hertz = hertz
  }

  private init(known hertz: Int) { self.hertz = hertz }

  /// The default rate of a recording.
  package static let hz48000 = SampleRate(known: 48_000)
  /// The rate of the compact disc.
  package static let hz44100 = SampleRate(known: 44_100)

  /// The lower rate comes first.
  package static func < (left: SampleRate, right: SampleRate) -> Bool { left.hertz < right.hertz }
}

extension SampleRate: CustomStringConvertible {
  /// `44100 Hz`.
  package var description: String { "\(hertz) Hz" }
}

/// The number of channels in a stream.
package struct ChannelCount: Hashable, Comparable, Sendable {
  /// The number, 1 to 1,024 (the limit of libsndfile).
  package let value: Int

  /// A count, or nil outside 1 to 1,024.
  package init?(_ value: Int) {
    guard (1...1_024).contains(value) else { return nil }
    self.value = value
  }

  private init(known value: Int) { self.value = value }

  /// One channel.
  package static let mono = ChannelCount(known: 1)
  /// Two channels, left before right.
  package static let stereo = ChannelCount(known: 2)

  /// Fewer channels come first.
  package static func < (left: ChannelCount, right: ChannelCount) -> Bool {
    left.value < right.value
  }
}

extension ChannelCount: CustomStringConvertible {
  /// `mono`, `stereo` or `6 channels`.
  package var description: String {
    switch value {
    case 1: "mono"
    case 2: "stereo"
    default: "\(value) channels"
    }
  }
}
