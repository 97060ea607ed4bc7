package import Audio

/// What about a stream a file format cannot hold.
package enum UnsupportedStream: Hashable, Sendable {
  case rate(SampleRate)
  case channels(ChannelCount)
  case sample(SampleFormat)
}

extension UnsupportedStream: CustomStringConvertible {
  /// `44100 Hz`.
  package var description: String {
    switch self {
    case .rate(let rate): "\(rate)"
    case .channels(let channels): "\(channels)"
    case .sample(let sample): "\(sample) samples"
    }
  }
}

extension FileFormat {
  /// Throws unless a file of this format can hold `stream`.
  package func check(_ stream: StreamFormat) throws(SoundFileError) {
    guard samples.contains(stream.sample) else { throw .unsupported(self, .sample(stream.sample)) }
    guard stream.channels.value <= mostChannels else {
      throw .unsupported(self, .channels(stream.channels))
    }
    guard stream.rate.hertz <= highestRate, rates?.contains(stream.rate.hertz) ?? true else {
      throw .unsupported(self, .rate(stream.rate))
    }
  }
}
