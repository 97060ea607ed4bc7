/// The containers that takes can be exported to. `FileFormat` has the containers for recording.
package enum ExportFormat: String, Hashable, Sendable, NamedBySuffix {
  /// RIFF WAVE, which becomes RF64 past 4 GiB.
  case wav
  /// Free Lossless Audio Codec.
  case flac
  /// Vorbis in Ogg.
  case ogg
  /// Opus in Ogg.
  case opus
  /// MPEG-1 and MPEG-2 layer III.
  case mp3
  /// Apple's Audio Interchange File Format.
  case aiff
  /// Apple's Core Audio Format.
  case caf
  /// Sony's Wave64.
  case w64

  /// The file name extensions, without the dot. The usual one is first.
  package var suffixes: [String] {
    recorded?.suffixes ?? (self == .ogg ? ["ogg", "oga"] : [rawValue])
  }

  /// The same container for recording, or nil if the container is only for export.
  package var recorded: FileFormat? { FileFormat(rawValue: rawValue) }

  /// Whether the encoder changes the samples.
  package var isLossy: Bool { self == .ogg || self == .opus || self == .mp3 }

  /// The sample formats that the file can hold. A lossy encoder gets floats.
  package var samples: [SampleFormat] {
    if isLossy { return [.float32] }
    return recorded?.samples ?? [.int16, .int24Packed, .int32, .float32]
  }

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
    guard let rates else {
      return source.hertz <= highestRate ? source : SampleRate(highestRate) ?? source
    }
    if rates.contains(source.hertz) { return source }
    let next = rates.filter { $0 > source.hertz }.min() ?? rates.max()
    return next.flatMap { SampleRate($0) } ?? source
  }

  /// The only rates that the format supports, or nil if it supports every rate up to `highestRate`.
  private var rates: [Int]? {
    switch self {
    case .mp3: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
    default: recorded?.rates
    }
  }

  private var highestRate: Int {
    switch self {
    case .ogg: 192_000
    case .mp3: 48_000
    default: recorded?.highestRate ?? 768_000
    }
  }

  /// The maximum number of channels.
  package var mostChannels: Int {
    switch self {
    case .ogg: 255
    case .mp3: 2
    default: recorded?.mostChannels ?? 1_024
    }
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
  package var description: String {
    switch self {
    case .ogg: "Ogg Vorbis"
    case .mp3: "MP3"
    case .w64: "Wave64"
    default: recorded?.description ?? rawValue
    }
  }
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
  /// The requested part has no marks to cut at.
  case noMarks
  /// The format does not support this many channels.
  case channels(ExportFormat, ChannelCount)
  /// The format does not support this rate.
  case rate(ExportFormat, SampleRate)
  /// The format does not support these samples.
  case sample(ExportFormat, SampleFormat)
}
