/// The format of a stream of interleaved frames.
package struct StreamFormat: Hashable, Sendable {
  /// Frames a second.
  package var rate: SampleRate
  /// Samples a frame.
  package var channels: ChannelCount
  /// The layout of each sample in memory.
  package var sample: SampleFormat

  /// A format of a rate, channels and samples.
  package init(rate: SampleRate, channels: ChannelCount, sample: SampleFormat) {
    self.rate = rate
    self.channels = channels
    self.sample = sample
  }

  /// The bytes that one frame takes.
  package var bytesPerFrame: Int { channels.value * sample.bytesPerSample }

  /// The bytes that one second takes.
  package var bytesPerSecond: Int { bytesPerFrame * rate.hertz }
}

extension StreamFormat: CustomStringConvertible {
  /// `48000 Hz, stereo, S16`.
  package var description: String { "\(rate), \(channels), \(sample)" }
}
