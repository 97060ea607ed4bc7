package import Audio

extension FileFormat {
  /// The containers that takes can be exported to.
  package static let exported: [FileFormat] = [.wav, .flac, .ogg, .opus, .mp3, .aiff, .caf, .w64]

  /// The sample formats that an exported file can hold. A lossy encoder gets floats.
  package var exportSamples: [SampleFormat] { isLossy ? [.float32] : samples }

  /// Returns the best sample format of the file for a source: the format of the source if the file
  /// can hold this format. Otherwise returns the first integer format with at least as many bits,
  /// or the last format if there is no such integer format.
  ///
  /// - Parameter source: the sample format of the source, or nil if the source has no fixed number
  ///   of bits.
  func exportSample(for source: SampleFormat?) -> SampleFormat {
    let source = source ?? .int16
    if exportSamples.contains(source) { return source }
    let wide = exportSamples.filter {
      $0.significantBits >= source.significantBits && !$0.isFloat
    }
    return wide.first ?? exportSamples.last ?? .int16
  }

  /// Returns the wanted rate if the format supports this rate. Otherwise returns the next higher
  /// rate, or the highest rate if there is no higher rate.
  package func exportRate(for wanted: SampleRate) -> SampleRate {
    SampleRate(min(wanted.hertz, highestRate)).map(rate(for:)) ?? wanted
  }

  /// Whether the file can hold marks.
  package var holdsMarks: Bool {
    switch self {
    case .wav, .aiff, .flac, .ogg, .opus: true
    case .mp3, .caf, .w64, .raw: false
    }
  }
}

/// The reason why a sound cannot be exported as requested.
package enum ExportRefusal: Error, Hashable, Sendable {
  /// The requested part begins after the end of the sound. The value is the length of the sound.
  case beyondEnd(length: Duration)
  /// The requested part contains no frame, although it does not begin after the end of the sound.
  case emptyPart
  /// The requested part contains only silence.
  case silence
  /// The sound is too quiet or too short to measure its loudness.
  case tooQuiet
  /// The sound has no frames, and the format allows no empty file.
  case noFrames(FileFormat)
  /// A file would be larger than the format allows.
  case tooLarge(FileFormat)
  /// The take has no track with this name, or no tracks at all. The second value has the names of
  /// all tracks of the take.
  case noTrack(String?, has: [String])
  /// The echo canceller cannot be used. The value is the name of the library or plugin that is
  /// missing, or nil if the canceller failed.
  case noEchoCanceller(missing: String?)
  /// The requested part has no marks to cut at.
  case noMarks
  /// The format does not support this many channels. The last value has the names of the tracks if
  /// all tracks are exported without a mix. Otherwise it is empty.
  case channels(FileFormat, ChannelCount, tracks: [String])
  /// The format does not support these samples.
  case sample(FileFormat, SampleFormat)
}
