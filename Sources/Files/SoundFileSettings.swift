package import Audio
internal import CSndFile

/// The container, stream, tags and compression of a new sound file.
package struct SoundFileSettings: Hashable, Sendable {
  /// The container.
  package var format: FileFormat
  /// The rate, channels and sample format of the file.
  package var stream: StreamFormat
  /// The texts in the file, such as its title. Raw and W64 files do not contain texts. AIFF and CAF
  /// files contain them only if `hasTail` is set.
  package var tags: SoundFileTags
  /// FLAC's compression level, 0 to 8.
  package var flacLevel = 5
  /// The marks that are known before the first sample. Only FLAC, Ogg and Opus files contain them,
  /// as chapters.
  package var chapters: [SoundFileCue] = []
  /// Whether to write marks and texts after the samples of an AIFF or CAF file. It must not be set
  /// for a recording, because a repair would treat the marks and texts as samples.
  package var hasTail = false

  /// Settings with the default compression.
  package init(format: FileFormat, stream: StreamFormat, tags: SoundFileTags = [:]) {
    self.format = format
    self.stream = stream
    self.tags = tags
  }
}

extension FileFormat {
  /// Throws if a file of this format cannot hold `stream`.
  package func check(_ stream: StreamFormat) throws(SoundFileError) {
    guard samples.contains(stream.sample) else { throw .unsupported(self, .sample(stream.sample)) }
    guard stream.channels.value <= mostChannels else {
      throw .unsupported(self, .channels(stream.channels))
    }
    guard stream.rate.hertz <= highestRate, rates?.contains(stream.rate.hertz) ?? true else {
      throw .unsupported(self, .rate(stream.rate))
    }
  }

  /// Throws if a recording in a file of this format cannot have `stream`.
  package func checkRecording(of stream: StreamFormat) throws(SoundFileError) {
    try check(stream)
    guard stream.channels.value <= mostRecordedChannels else {
      throw .unsupported(self, .channels(stream.channels))
    }
  }
}

extension SoundFileSettings {
  /// The chapters that the file will contain. An Opus file gets at most 30,000 bytes of
  /// chapters: libsndfile 1.2.0 writes an unreadable file if all texts exceed about 51,000 bytes.
  package var heldChapters: [SoundFileCue] {
    guard format == .opus else { return [.flac, .ogg].contains(format) ? chapters : [] }
    var room = 30_000
    return chapters.prefix { chapter in
      room -= VorbisChapters.list([chapter], at: stream.rate).bytes.count + 2
      return room > 0
    }
  }

  /// The header that this program writes itself. Nil if libsndfile writes the header, or if the
  /// format has no header.
  var header: (any SoundFileHeader)? {
    format == .wav ? WaveHeader(stream) : AppleHeader(format, stream)
  }

  /// Whether libsndfile gets the samples as floats. Lossy encoders compute only with floats.
  var takesFloats: Bool { format.isLossy || stream.sample.isFloat }

  /// The format as libsndfile's structure.
  var info: SF_INFO {
    var info = SF_INFO()
    info.samplerate = CInt(stream.rate.hertz)
    info.channels = CInt(stream.channels.value)
    info.format = CInt(container | encoding)
    return info
  }

  private var container: Int {
    switch format {
    case .wav, .raw, .caf: SF_FORMAT_RAW | SF_ENDIAN_LITTLE
    case .aiff: SF_FORMAT_RAW | SF_ENDIAN_BIG
    case .flac: SF_FORMAT_FLAC
    case .opus, .ogg: SF_FORMAT_OGG
    case .mp3: SF_FORMAT_MPEG
    case .w64: SF_FORMAT_W64
    }
  }

  private var encoding: Int {
    switch format {
    case .opus: SF_FORMAT_OPUS
    case .ogg: SF_FORMAT_VORBIS
    case .mp3: SF_FORMAT_MPEG_LAYER_III
    default: stream.sample.encoding
    }
  }

}

extension SampleFormat {
  /// The number of the encoding in libsndfile.
  var encoding: Int {
    switch self {
    case .int16: SF_FORMAT_PCM_16
    case .int24Packed, .int24: SF_FORMAT_PCM_24
    case .int32: SF_FORMAT_PCM_32
    case .float32: SF_FORMAT_FLOAT
    case .float64: SF_FORMAT_DOUBLE
    }
  }
}

extension SoundFileHandle {
  /// Sets compression, page latency and tags. libsndfile accepts them only before the first sample.
  func prepare(for settings: SoundFileSettings) throws(SoundFileError) {
    switch settings.format {
    case .wav, .raw, .caf, .aiff, .w64: return
    case .flac: compress(Double(settings.flacLevel) / 8)
    case .opus:
      // The latency is the duration of a page in milliseconds. If the session is killed, the take
      // loses at most one page. The library's default is one second.
      var pageLatency = 100.0
      _ = command(SFC_SET_OGG_PAGE_LATENCY_MS, &pageLatency)
    case .mp3:
      // Quality 2 on LAME's scale from 0 to 9, with a variable bit rate. This is about 190 kbit/s
      // for stereo music.
      compress(0.2)
    case .ogg: break
    }
    var tags = settings.tags
    if !settings.heldChapters.isEmpty {
      let (chapters, rate) = (settings.heldChapters, settings.stream.rate)
      tags[.license] = VorbisChapters.placeholder(for: chapters, at: rate)
    }
    for (tag, text) in tags {
      _ = try unsafe call("sf_set_string") { unsafe $0.set_string($1, tag.code, text) }
    }
  }

  /// Sets the compression level. For every encoder, the scale is 0 to 1.
  private borrowing func compress(_ level: Double) {
    var level = level
    _ = command(SFC_SET_COMPRESSION_LEVEL, &level)
  }
}
