package import Audio
internal import CSndFile

/// The container, stream, tags and compression of a new sound file.
package struct SoundFileSettings: Hashable, Sendable {
  /// The container.
  package var format: FileFormat
  /// Rate, channels and the sample format in the file.
  package var stream: StreamFormat
  /// The texts that the file carries, such as its title; a raw file has none.
  package var tags: SoundFileTags
  /// FLAC's compression, 0 to 8.
  package var flacLevel = 5
  /// Opus's bits a second over all channels; nil leaves the choice to libsndfile.
  package var opusBitrate: Int?
  /// Marks that are known before the first sample; only FLAC and Opus hold them, as chapters.
  package var chapters: [SoundFileCue] = []
  /// True to put marks and texts behind the samples of AIFF and CAF, too. Not for a recording: the
  /// repair of a part would take them for samples.
  package var hasTail = false

  /// Settings with the default compression.
  package init(format: FileFormat, stream: StreamFormat, tags: SoundFileTags = [:]) {
    self.format = format
    self.stream = stream
    self.tags = tags
  }
}

extension FileFormat {
  /// Throws unless a file of this format can hold `stream`.
  package func check(_ stream: StreamFormat) throws(SoundFileError) {
    guard samples.contains(stream.sample) else { throw .unsupported(self, .sample(stream.sample)) }
    guard stream.channels.value <= mostChannels else {
      throw .unsupported(self, .channels(stream.channels))
    }
    guard stream.rate.hertz <= highestRate, rates?.contains(stream.rate.hertz) ?? true else {
      throw .unsupported(self, .rate(stream.rate))
    }
  }
}

extension SoundFileSettings {
  /// The chapters that the file will have: libsndfile drops the comments of an Opus file where they
  /// do not fit into a page.
  package var heldChapters: [SoundFileCue] {
    guard format == .opus else { return format == .flac ? chapters : [] }
    var room = 30_000
    return chapters.prefix { chapter in
      room -= VorbisChapters.list([chapter], at: stream.rate).bytes.count + 2
      return room > 0
    }
  }

  /// The header that this program writes itself; nil where libsndfile does, or there is none.
  var header: (any SoundFileHeader)? {
    format == .wav ? WaveHeader(stream) : AppleHeader(format, stream)
  }

  /// True where libsndfile is given floats; Opus computes in nothing else.
  var takesFloats: Bool { format == .opus || stream.sample.isFloat }

  /// The format in libsndfile's terms.
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
    case .opus: SF_FORMAT_OGG
    }
  }

  private var encoding: Int { format == .opus ? SF_FORMAT_OPUS : stream.sample.encoding }

  /// libsndfile's scale for Opus: from 256 kbit/s a channel at 0 to 6 kbit/s at 1.
  fileprivate var opusCompression: Double? {
    opusBitrate.map { bitrate in
      let each = Double(bitrate) / Double(stream.channels.value)
      return min(max(1 - (each - 6_000) / 250_000, 0), 1)
    }
  }
}

extension SampleFormat {
  /// libsndfile's number; only for the sample formats that a file holds.
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
  /// Sets compression, page latency and tags, which libsndfile takes only before the first sample.
  func prepare(for settings: SoundFileSettings) throws(SoundFileError) {
    switch settings.format {
    case .wav, .raw, .caf, .aiff: return
    case .flac: compress(Double(settings.flacLevel) / 8)
    case .opus:
      // A killed take loses at most one page; the library's own choice is a second.
      var pageLatency = 100.0
      _ = command(SFC_SET_OGG_PAGE_LATENCY_MS, &pageLatency)
      if let level = settings.opusCompression { compress(level) }
    }
    var tags = settings.tags
    if !settings.heldChapters.isEmpty {
      let (chapters, rate) = (settings.heldChapters, settings.stream.rate)
      tags[.license] = VorbisChapters.placeholder(for: chapters, at: rate)
    }
    try prepare(texts: tags)
  }

  /// Sets texts, and the compression, which is 0 to 1 for every encoder.
  func prepare(texts: SoundFileTags, compression: Double? = nil) throws(SoundFileError) {
    if let compression { compress(compression) }
    for (tag, text) in texts {
      _ = try unsafe call("sf_set_string") { unsafe $0.set_string($1, tag.code, text) }
    }
  }

  private borrowing func compress(_ level: Double) {
    var level = level
    _ = command(SFC_SET_COMPRESSION_LEVEL, &level)
  }
}

/// The bytes before the samples of a file, which this program writes itself.
///
/// They have one length for one stream, so that one write replaces them.
protocol SoundFileHeader: Sendable {
  /// The length in bytes, at which the samples begin.
  var count: Int { get }
  /// The header of a file of `end` bytes of which `audio` are samples.
  func bytes(audio: Int64, end: Int64) -> [UInt8]
}

extension WaveHeader: SoundFileHeader {}

extension AppleHeader: SoundFileHeader {}
