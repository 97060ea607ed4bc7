/// Formats of files, of which a file name's ending names one.
package protocol NamedBySuffix: CaseIterable {
  /// The endings of file names, without the dot, the usual one first.
  var suffixes: [String] { get }
}

extension NamedBySuffix {
  /// The format that a file name's ending stands for.
  package init?(suffix: String) {
    let suffix = suffix.lowercased()
    guard let format = Self.allCases.first(where: { $0.suffixes.contains(suffix) }) else {
      return nil
    }
    self = format
  }
}

/// The containers that are recorded; libsndfile reads more.
package enum FileFormat: String, Hashable, Sendable, NamedBySuffix {
  /// RIFF WAVE, which becomes RF64 past 4 GiB.
  case wav
  /// Free Lossless Audio Codec.
  case flac
  /// Opus in Ogg.
  case opus
  /// Apple's Core Audio Format.
  case caf
  /// Apple's Audio Interchange File Format; samples of floating point make it AIFF-C.
  case aiff
  /// Samples and nothing else, little-endian.
  case raw

  /// The endings of file names, without the dot, the usual one first.
  package var suffixes: [String] {
    switch self {
    case .wav: ["wav", "wave", "rf64"]
    case .flac: ["flac"]
    case .opus: ["opus"]
    case .caf: ["caf"]
    case .aiff: ["aiff", "aif", "aifc"]
    case .raw: ["raw", "pcm"]
    }
  }

  /// The sample formats that the file can hold, the default first; Opus takes any of them and keeps
  /// none exactly.
  package var samples: [SampleFormat] {
    switch self {
    case .wav, .raw, .opus, .caf, .aiff: [.int16, .int24Packed, .int32, .float32]
    case .flac: [.int16, .int24Packed]
    }
  }

  /// The only rates that the format knows, or nil where every one up to `highestRate` will do.
  package var rates: [Int]? { self == .opus ? [8_000, 12_000, 16_000, 24_000, 48_000] : nil }

  /// The rate of a recording: the wanted one, or the next one above it that the format knows.
  package func rate(for wanted: SampleRate) -> SampleRate {
    guard let rates, !rates.contains(wanted.hertz) else { return wanted }
    return rates.filter { $0 > wanted.hertz }.min().flatMap { SampleRate($0) } ?? .hz48000
  }

  /// The highest rate; FLAC's field has 20 bits and libsndfile stops at 655,350.
  package var highestRate: Int {
    switch self {
    case .wav, .raw, .caf, .aiff: 768_000
    case .flac: 655_350
    case .opus: 48_000
    }
  }

  /// The most channels; Opus has no layout for more than 8, FLAC no bits.
  package var mostChannels: Int {
    switch self {
    case .wav, .raw, .caf, .aiff: 1_024
    case .flac, .opus: 8
    }
  }

  /// The most channels of a recording: of six and more Opus takes one for a subwoofer's and drops its
  /// high sounds, whatever microphone that is.
  package var mostRecordedChannels: Int { self == .opus ? 5 : mostChannels }

  /// True where samples are stored in the file as they are in memory, without an encoder.
  package var isUncompressed: Bool { self == .wav || self == .raw || self == .caf }

  /// True where a file can be written to a pipe, whose beginning nobody can change later.
  package var fitsPipe: Bool { self == .wav || self == .raw }

  /// The most bytes of a file; nil for more than any disk has. The sizes in AIFF have 32 bits.
  package var mostBytes: Int64? { self == .aiff ? Int64(UInt32.max) - 4_096 : nil }

  /// True where the file holds a title and a comment.
  package var hasTags: Bool { self == .wav || self == .flac || self == .opus }
}

extension FileFormat: CustomStringConvertible {
  /// `WAV`.
  package var description: String {
    switch self {
    case .wav: "WAV"
    case .flac: "FLAC"
    case .opus: "Opus"
    case .caf: "CAF"
    case .aiff: "AIFF"
    case .raw: "raw"
    }
  }
}
