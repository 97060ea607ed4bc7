package import Audio

/// The property of a stream that a file format cannot hold.
package enum UnsupportedStream: Hashable, Sendable {
  /// Its rate.
  case rate(SampleRate)
  /// Its number of channels.
  case channels(ChannelCount)
  /// Its sample format.
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
