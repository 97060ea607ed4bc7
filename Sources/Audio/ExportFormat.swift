/// The containers that takes are exported to; `FileFormat` has those that are recorded.
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

  /// The endings of file names, without the dot, the usual one first.
  package var suffixes: [String] {
    switch self {
    case .ogg: ["ogg", "oga"]
    case .mp3: ["mp3"]
    case .w64: ["w64"]
    case .wav, .flac, .opus, .aiff, .caf: recorded?.suffixes ?? []
    }
  }

  /// The same container among those that are recorded; nil where it is only exported to.
  package var recorded: FileFormat? {
    switch self {
    case .wav: .wav
    case .flac: .flac
    case .opus: .opus
    case .aiff: .aiff
    case .caf: .caf
    case .ogg, .mp3, .w64: nil
    }
  }

  /// True where an encoder changes the samples.
  package var isLossy: Bool { self == .ogg || self == .opus || self == .mp3 }

  /// The sample formats that the file can hold; an encoder that changes them is given floats.
  package var samples: [SampleFormat] {
    if isLossy { return [.float32] }
    return recorded?.samples ?? [.int16, .int24Packed, .int32, .float32]
  }

  /// The sample format that holds those of a source best: the same, or the next that is as wide.
  ///
  /// - Parameter source: nil where the source has no fixed number of bits.
  package func sample(for source: SampleFormat?) -> SampleFormat {
    let source = source ?? .int16
    if samples.contains(source) { return source }
    let wide = samples.filter { $0.significantBits >= source.significantBits && !$0.isFloat }
    return wide.first ?? samples.last ?? .int16
  }

  /// The rate of the file for a source's rate: the same, else the next higher one, else the
  /// highest.
  package func rate(for source: SampleRate) -> SampleRate {
    guard let rates else {
      return source.hertz <= highestRate ? source : SampleRate(highestRate) ?? source
    }
    if rates.contains(source.hertz) { return source }
    let next = rates.filter { $0 > source.hertz }.min() ?? rates.max()
    return next.flatMap { SampleRate($0) } ?? source
  }

  /// The only rates that the format knows; nil where every one up to `highestRate` will do.
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

  /// The most channels.
  package var mostChannels: Int {
    switch self {
    case .ogg: 255
    case .mp3: 2
    default: recorded?.mostChannels ?? 1_024
    }
  }

  /// True where the file can hold marks.
  package var holdsMarks: Bool {
    switch self {
    case .wav, .aiff, .flac, .ogg, .opus: true
    case .mp3, .caf, .w64: false
    }
  }

  /// True where the file can hold a title.
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

/// The reason why a sound cannot be exported as it is wanted.
package enum ExportRefusal: Error, Hashable, Sendable {
  /// The part that is wanted lies behind the end of the sound, which is so long.
  case beyondEnd(length: Duration)
  /// There is nothing but silence in the part that is wanted.
  case silence
  /// There is too little sound for a loudness.
  case tooQuiet
  /// The sound has no frame, and the format makes no file of none.
  case noFrames(ExportFormat)
  /// The part that is wanted has no marks to cut at.
  case noMarks
  /// The format has fewer channels.
  case channels(ExportFormat, ChannelCount)
  /// The format does not have this rate.
  case rate(ExportFormat, SampleRate)
  /// The format does not have these samples.
  case sample(ExportFormat, SampleFormat)
}
