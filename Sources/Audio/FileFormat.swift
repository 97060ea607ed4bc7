/// The container formats of the files that this program writes. It can read more formats.
package enum FileFormat: String, Hashable, Sendable, CaseIterable {
  /// RIFF WAVE, which becomes RF64 past 4 GiB.
  case wav
  /// Free Lossless Audio Codec.
  case flac
  /// Opus in Ogg.
  case opus
  /// Apple's Core Audio Format.
  case caf
  /// Apple's Audio Interchange File Format. With floating-point samples it is AIFF-C.
  case aiff
  /// Only samples, without a header, little-endian.
  case raw
  /// Vorbis in Ogg. It is only for export, like `mp3` and `w64`.
  case ogg
  /// MPEG-1 and MPEG-2 layer III.
  case mp3
  /// Sony's Wave64.
  case w64

  /// The formats for recordings.
  package static let allCases: [FileFormat] = [.wav, .flac, .opus, .caf, .aiff, .raw]

  /// The file name extensions, without the dot. The default extension is first.
  package var suffixes: [String] {
    switch self {
    case .wav: ["wav", "wave", "rf64"]
    case .flac: ["flac"]
    case .opus: ["opus"]
    case .caf: ["caf"]
    case .aiff: ["aiff", "aif", "aifc"]
    case .raw: ["raw", "pcm"]
    case .ogg: ["ogg", "oga"]
    case .mp3: ["mp3"]
    case .w64: ["w64"]
    }
  }

  /// The sample formats that the file can hold. The default format is first. Opus accepts all these
  /// formats, but does not store the samples exactly.
  package var samples: [SampleFormat] {
    switch self {
    case .wav, .raw, .opus, .caf, .aiff, .w64: [.int16, .int24Packed, .int32, .float32]
    case .flac: [.int16, .int24Packed]
    case .ogg, .mp3: [.float32]
    }
  }

  /// The only rates that the format supports, or nil if it supports every rate up to `highestRate`.
  package var rates: [Int]? {
    switch self {
    case .opus: [8_000, 12_000, 16_000, 24_000, 48_000]
    case .mp3: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
    default: nil
    }
  }

  /// Returns the rate of a recording: the wanted rate if the format supports it, otherwise the next
  /// higher rate that the format supports. If there is no higher rate, returns 48 kHz.
  package func rate(for wanted: SampleRate) -> SampleRate {
    guard let rates, !rates.contains(wanted.hertz) else { return wanted }
    return rates.filter { $0 > wanted.hertz }.min().flatMap { SampleRate($0) } ?? .hz48000
  }

  /// The highest rate. FLAC stores the rate in 20 bits, but libsndfile writes at most 655,350 Hz.
  package var highestRate: Int {
    switch self {
    case .wav, .raw, .caf, .aiff, .w64: 768_000
    case .flac: 655_350
    case .ogg: 192_000
    case .opus, .mp3: 48_000
    }
  }

  /// The maximum number of channels. Opus has no layout for more than 8 channels, and FLAC stores
  /// the number in 3 bits.
  package var mostChannels: Int {
    switch self {
    case .wav, .raw, .caf, .aiff, .w64: 1_024
    case .ogg: 255
    case .flac, .opus: 8
    case .mp3: 2
    }
  }

  /// The maximum number of channels of a recording. With six or more channels, Opus treats one
  /// channel as a subwoofer and drops its high frequencies, even if a microphone fills this
  /// channel.
  package var mostRecordedChannels: Int { self == .opus ? 5 : mostChannels }

  /// Whether the encoder changes the samples.
  package var isLossy: Bool { self == .opus || self == .ogg || self == .mp3 }

  /// Whether a file without frames is valid. Some encoders write no header before the first frame,
  /// or a header that no decoder accepts without frames.
  package var mayBeEmpty: Bool { !isLossy && self != .flac }

  /// Whether a recording stores its samples in the file as they are in memory, without an encoder.
  package var isUncompressed: Bool { self == .wav || self == .raw || self == .caf }

  /// Whether a file can be written to a pipe. In a pipe, the header cannot be changed later.
  package var fitsPipe: Bool { self == .wav || self == .raw }

  /// The maximum size of a file in bytes, or nil if the maximum is larger than any disk. The sizes
  /// in AIFF have 32 bits.
  package var mostBytes: Int64? { self == .aiff ? Int64(UInt32.max) - 4_096 : nil }

  /// Whether the file holds a title and a comment.
  package var hasTags: Bool { self == .wav || self == .flac || self == .opus }
}

extension FileFormat {
  /// The format that a file name extension stands for, or nil if no format in `formats` has it.
  package init?(suffix: String, among formats: [FileFormat] = allCases) {
    let suffix = suffix.lowercased()
    guard let format = formats.first(where: { $0.suffixes.contains(suffix) }) else { return nil }
    self = format
  }
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
    case .ogg: "Ogg Vorbis"
    case .mp3: "MP3"
    case .w64: "Wave64"
    }
  }
}
