/// The containers that takes can be exported to.
package enum ExportFormat: String, Hashable, Sendable, NamedBySuffix {
  case wav, flac, ogg, opus, mp3, aiff, caf, w64

  /// The container.
  package var container: FileFormat {
    switch self {
    case .wav: .wav
    case .flac: .flac
    case .ogg: .ogg
    case .opus: .opus
    case .mp3: .mp3
    case .aiff: .aiff
    case .caf: .caf
    case .w64: .w64
    }
  }

  /// The file name extensions, without the dot. The usual one is first.
  package var suffixes: [String] { container.suffixes }

  /// Whether the encoder changes the samples.
  package var isLossy: Bool { container.isLossy }

  /// The maximum number of channels.
  package var mostChannels: Int { container.mostChannels }

  /// The sample formats that the file can hold. A lossy encoder gets floats.
  package var samples: [SampleFormat] { isLossy ? [.float32] : container.samples }

  /// Returns the best sample format for a source: the same one, else the first integer format with
  /// at least as many bits, else the last format.
  ///
  /// - Parameter source: the source's format, or nil if the source has no fixed number of bits.
  package func sample(for source: SampleFormat?) -> SampleFormat {
    let source = source ?? .int16
    if samples.contains(source) { return source }
    let wide = samples.filter { $0.significantBits >= source.significantBits && !$0.isFloat }
    return wide.first ?? samples.last ?? .int16
  }

  /// Returns the rate of the file for a source's rate: the same, else the next higher one, else the
  /// highest.
  package func rate(for source: SampleRate) -> SampleRate {
    guard let rates = container.rates else {
      let highest = container.highestRate
      return source.hertz <= highest ? source : SampleRate(highest) ?? source
    }
    if rates.contains(source.hertz) { return source }
    let next = rates.filter { $0 > source.hertz }.min() ?? rates.max()
    return next.flatMap { SampleRate($0) } ?? source
  }

  /// Whether the file can hold marks.
  package var holdsMarks: Bool {
    switch self {
    case .wav, .aiff, .flac, .ogg, .opus: true
    case .mp3, .caf, .w64: false
    }
  }

  /// Whether the file can hold a title.
  package var holdsTags: Bool { self != .w64 }
}

extension ExportFormat: CustomStringConvertible {
  /// `WAV`.
  package var description: String { "\(container)" }
}

/// The reason why a sound cannot be exported as requested.
package enum ExportRefusal: Error, Hashable, Sendable {
  /// The requested part begins after the end of the sound. The length of the sound is given.
  case beyondEnd(length: Duration)
  /// The requested part contains only silence.
  case silence
  /// The sound is too quiet or too short to measure its loudness.
  case tooQuiet
  /// The sound has no frames, and the format allows no empty file.
  case noFrames(ExportFormat)
  /// The take has no track with this name, or no tracks at all. The second value has the names of
  /// its tracks.
  case noTrack(String?, has: [String])
  /// The requested part has no marks to cut at.
  case noMarks
  /// The format does not support this many channels.
  case channels(ExportFormat, ChannelCount)
  /// The format does not support this rate.
  case rate(ExportFormat, SampleRate)
  /// The format does not support these samples.
  case sample(ExportFormat, SampleFormat)
}
