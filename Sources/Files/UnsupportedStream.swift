package import Audio

/// What about a stream a file format cannot hold.
package enum UnsupportedStream: Hashable, Sendable {
  /// Its rate.
  case rate(SampleRate)
  /// How many channels it has.
  case channels(ChannelCount)
  /// How its samples lie.
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
