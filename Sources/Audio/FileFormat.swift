/// The containers that are recorded; libsndfile reads more.
package enum FileFormat: String, Hashable, CaseIterable, Sendable {
  /// RIFF WAVE, which becomes RF64 past 4 GiB.
  case wav
  /// Free Lossless Audio Codec.
  case flac
  /// Opus in Ogg.
  case opus
  /// Samples and nothing else, little-endian.
  case raw

  /// The format that a file name's ending stands for.
  package init?(suffix: String) {
    let suffix = suffix.lowercased()
    guard let format = Self.allCases.first(where: { $0.suffixes.contains(suffix) }) else {
      return nil
    }
    self = format
  }

  /// The endings of file names, without the dot, the usual one first.
  package var suffixes: [String] {
    switch self {
    case .wav: ["wav", "wave", "rf64"]
    case .flac: ["flac"]
    case .opus: ["opus"]
    case .raw: ["raw", "pcm"]
    }
  }

  /// The sample formats that the file can hold, the default first; Opus takes any of them and keeps
  /// none exactly.
  package var samples: [SampleFormat] {
    switch self {
    case .wav, .raw, .opus: [.int16, .int24Packed, .int32, .float32]
    case .flac: [.int16, .int24Packed]
    }
  }

  /// The only rates that the format knows, or nil where every one up to `highestRate` will do.
  package var rates: [Int]? { self == .opus ? [8_000, 12_000, 16_000, 24_000, 48_000] : nil }

  /// The highest rate; FLAC's field has 20 bits and libsndfile stops at 655,350.
  package var highestRate: Int {
    switch self {
    case .wav, .raw: 768_000
    case .flac: 655_350
    case .opus: 48_000
    }
  }

  /// The most channels; Opus has no layout for more than 8, FLAC no bits.
  package var mostChannels: Int {
    switch self {
    case .wav, .raw: 1_024
    case .flac, .opus: 8
    }
  }

  /// True where samples are stored in the file as they are, without an encoder.
  package var isUncompressed: Bool { self == .wav || self == .raw }
}

extension FileFormat: CustomStringConvertible {
  /// `WAV`.
  package var description: String {
    switch self {
    case .wav: "WAV"
    case .flac: "FLAC"
    case .opus: "Opus"
    case .raw: "raw"
    }
  }
}
