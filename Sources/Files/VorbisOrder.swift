internal import Audio

/// The order in which encoders of Vorbis and Opus take their channels: libsndfile leaves it to its caller.
struct VorbisOrder {
  /// For each channel of the encoder the number of that channel in a WAV file.
  private let sources: [Int]
  private var frame: [Float]

  /// Nil where it is the order of WAV files too, as for mono and stereo.
  init?(_ channels: ChannelCount) {
    let places = [Speaker].usual(channels) ?? []
    sources = ([Speaker].vorbis(channels) ?? []).compactMap { places.firstIndex(of: $0) }
    frame = Array(repeating: 0, count: sources.count)
    if sources == Array(sources.indices) { return nil }
  }

  /// Puts the channels of whole frames in that order.
  mutating func apply(to samples: inout [Float], upTo count: Int) {
    for start in stride(from: 0, to: count, by: sources.count) {
      for (channel, source) in sources.enumerated() { frame[channel] = samples[start + source] }
      for channel in sources.indices { samples[start + channel] = frame[channel] }
    }
  }
}
