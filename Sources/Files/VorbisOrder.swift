internal import Audio

/// The channel order that Vorbis and Opus encoders expect. libsndfile leaves the reordering to its
/// caller.
struct VorbisOrder {
  /// For each channel of the encoder, the index of this channel in a WAV file.
  private let sources: [Int]
  private var frame: [Float]

  /// Creates the order. The result is nil if the order is the same as in WAV files, for example for
  /// mono and stereo.
  init?(_ channels: ChannelCount) {
    let speakers = [Speaker].usual(channels) ?? []
    sources = ([Speaker].vorbis(channels) ?? []).compactMap { speakers.firstIndex(of: $0) }
    frame = Array(repeating: 0, count: sources.count)
    if sources == Array(sources.indices) { return nil }
  }

  /// Reorders the channels of whole frames.
  mutating func apply(to samples: inout [Float], upTo count: Int) {
    for start in stride(from: 0, to: count, by: sources.count) {
      for (channel, source) in sources.enumerated() { frame[channel] = samples[start + source] }
      for channel in sources.indices { samples[start + channel] = frame[channel] }
    }
  }
}
