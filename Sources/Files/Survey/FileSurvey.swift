internal import Audio
internal import Linux

/// The survey of a sound file before a decoder reads the file. It finds the streams of the file.
/// For each stream, it makes the view of the file that the decoder needs.
struct FileSurvey {
  private let file: CheckedFile
  private let chunks: Chunks?

  init(_ file: CheckedFile) throws(SoundFileError) {
    self.file = file
    chunks = try Chunks(of: file)
  }

  /// Returns the streams of the file, with the view that each decoder needs.
  ///
  /// Throws if the file is of a kind that is not decoded. If the file is of a known kind but
  /// incomplete, the result has a `fault`.
  func survey(among kinds: SoundKinds) throws(SoundFileError) -> SoundSurvey {
    if file.end == 0 { throw .empty(subject: file.label) }
    var window = FileWindow(file, 0..<file.end)
    let start = try ForeignTag.end(from: 0, in: &window)
    let head = try window.bytes(at: start, upTo: FileMagic.count)
    let whole = start..<file.end
    let kind = FileMagic.kind(head, among: kinds)
    switch kind {
    case .flac: return try flacSurvey(whole)
    case .ogg:
      var ogg = OggSurvey(file, whole)
      return try ogg.survey()
    case .wave, .wave64, .appleCore, .creative, .nist, .chunks, .sun, .other:
      // If the file begins with a tag, which is rare, no survey is made. The decoder then finds the
      // samples itself.
      return try start > 0 ? SoundSurvey([SoundStream(FileView(whole))]) : chunkSurvey(kind)
    case .foreign(let kind):
      throw .notDecoded(subject: file.label, kind: kind.name, isConvertible: kind.holdsSound)
    case .mpeg, nil: return try mpegSurvey(whole)
    }
  }

  private func chunkSurvey(_ kind: FileMagic?) throws(SoundFileError) -> SoundSurvey {
    switch kind {
    case .wave: return try waveSurvey()
    case .wave64: return try wave64Survey()
    case .appleCore:
      guard let chunks else { return try correctedSurvey() }
      return try AppleSurvey(chunks: chunks).survey()
    case .creative: return try CreativeSurvey(file: file).survey()
    case .nist: return try NISTSurvey.survey(file)
    case .chunks:
      guard let survey = try InterleavedSurvey(chunks) else { return try correctedSurvey() }
      return try survey.survey()
    case .other:
      var survey = SoundSurvey([SoundStream(FileView(0..<file.end))])
      survey.hasSamples = file.end > Self.mostHeaderBytes
      return survey
    default: return try correctedSurvey()
    }
  }

  /// The maximum size of a header of the old formats.
  private static let mostHeaderBytes: Int64 = 4_096

  /// The name of the container that `waveCopy` repairs.
  static let waveContainer = "WAV audio"

  /// Returns the name of the container from its first bytes, for an error message.
  static func containerName(of file: CheckedFile) throws(SoundFileError) -> String {
    var window = FileWindow(file, 0..<file.end)
    let start = try ForeignTag.end(from: 0, in: &window)
    let head = try window.bytes(at: start, upTo: FileMagic.count)
    return switch FileMagic.kind(head, among: .all) {
    case .wave: waveContainer
    case .wave64: "W64 audio"
    case .flac: "FLAC audio"
    case .ogg: "Ogg audio"
    case .appleCore: "CAF audio"
    case .chunks where head.starts(with: "FORM".utf8) && head.dropFirst(8).starts(with: "AIF".utf8):
      "AIFF audio"
    case .sun: "AU audio"
    case .creative: "Creative Voice audio"
    case .mpeg, nil: "MPEG audio"
    case .chunks, .nist, .other, .foreign: "an old sound file"
    }
  }

  /// Surveys MPEG audio. MPEG audio has no signature at its beginning, so it is detected by
  /// consecutive frames.
  private func mpegSurvey(_ range: Range<Int64>) throws(SoundFileError) -> SoundSurvey {
    let first = try MPEGScan.start(in: file, range, reach: Self.mostBytesBeforeFrames)
    var window = FileWindow(file, range)
    let head = try window.bytes(at: range.lowerBound, upTo: FileMagic.count)
    guard first != nil || FileMagic.isMPEGFrame(head) else { throw .notSound(subject: file.label) }
    let begin = first ?? range.lowerBound
    // A tag directly before the first frame belongs to the stream, so the scan includes the tag.
    return try mpegStreams((begin == range.lowerBound ? 0 : begin)..<range.upperBound)
  }

  private func mpegStreams(_ range: Range<Int64>) throws(SoundFileError) -> SoundSurvey {
    var scan = MPEGScan(file, range)
    guard let survey = try scan.survey() else { throw .notSound(subject: file.label) }
    return survey
  }

  /// Surveys MPEG audio inside another container.
  private func mpegStreams(
    _ range: Range<Int64>, in outer: SoundSurvey, _ container: String
  ) throws(SoundFileError) -> SoundSurvey {
    var inner = try mpegStreams(range)
    inner.container = container
    inner.fault = outer.fault ?? inner.fault
    inner.trailingBytes = outer.trailingBytes
    return inner
  }

  private static let mostBytesBeforeFrames: Int64 = 1 << 16

  /// Surveys a native FLAC file. The view excludes the tags before and after the FLAC data, because
  /// the decoder would treat these tags as damage.
  private func flacSurvey(_ range: Range<Int64>) throws(SoundFileError) -> SoundSurvey {
    var last = range.upperBound
    var window = FileWindow(file, range)
    if try ForeignTag.isOldID3(at: last - ForeignTag.oldID3Bytes, in: &window) {
      last -= ForeignTag.oldID3Bytes
    }
    var stream = SoundStream(FileView(range.lowerBound..<last))
    let extent = try FLACTail.find(in: stream.view, of: file)
    stream.speakers = try flacSpeakers(&window)
    try widen(&stream, &window)
    var survey = SoundSurvey([stream])
    if let extent { try finish(&survey, behind: extent, at: range.lowerBound) }
    return survey
  }

  /// If frames are missing, ends the FLAC stream after its last whole frame. Otherwise counts the
  /// bytes after the stream.
  private func finish(
    _ survey: inout SoundSurvey, behind extent: FLACTail, at start: Int64
  ) throws(SoundFileError) {
    if extent.missing > 0 {
      try extent.limit(&survey.streams[0], of: file)
      survey.fault = .cutOff(subject: file.label, expected: nil, actual: file.end)
    } else {
      survey.trailingBytes = try FileTail.trailingBytes(of: file, from: start + extent.end)
    }
  }

  /// Presents a 32-bit stream as a 24-bit stream. libsndfile rejects a 32-bit stream because of the
  /// bit depth in the header, but its decoder uses the bit depth that each frame states.
  private func widen(
    _ stream: inout SoundStream, _ window: inout FileWindow
  ) throws(SoundFileError) {
    // The field contains the bit depth minus one in five bits. The first of these bits is the last
    // bit of `bytes[0]`.
    let offset = window.range.lowerBound + 8 + 12
    let bytes = try window.bytes(at: offset, upTo: 2)
    guard bytes.count == 2, bytes[0] & 1 == 1, bytes[1] >> 4 == 15 else { return }
    stream.view = stream.view.replacing(at: 8 + 13, with: [bytes[1] & 0x7F])
    stream.isWide = true
  }

  /// Returns the speaker position of each channel, or nil if the file does not state the positions.
  /// A comment states them as a channel mask, as in WAV files.
  private func flacSpeakers(_ window: inout FileWindow) throws(SoundFileError) -> [Speaker]? {
    var offset = window.range.lowerBound + 4
    var channels: ChannelCount?
    while let head = try window.word(at: offset) {
      let (kind, size) = (head >> 24 & 0x7F, Int64(head & 0xFF_FFFF))
      if kind == 0, let byte = try window.byte(at: offset + 4 + 12) {
        channels = ChannelCount(Int(byte >> 1 & 7) + 1)
      }
      if kind == 4, let channels {
        let comments = try window.bytes(at: offset + 4, upTo: min(Int(size), Self.mostCommentBytes))
        return Self.mask(comments).flatMap { [Speaker](waveMask: $0, channels: channels) }
      }
      if head >> 31 == 1 { return nil }
      offset += 4 + size
    }
    return nil
  }

  /// The maximum size of the comments to search. A mask is among the first comments.
  private static let mostCommentBytes = 1 << 16

  private static func mask(_ comments: [UInt8]) -> UInt32? {
    let name = Array("WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x".utf8)
    guard let range = comments.range(of: name) else { return nil }
    let digits = comments[range.upperBound...].prefix { Character(UnicodeScalar($0)).isHexDigit }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  /// Surveys a file that the decoder reads correctly once a wrong size in the header is corrected.
  private func correctedSurvey() throws(SoundFileError) -> SoundSurvey {
    let extent = try SampleExtent.of(file, chunks)
    var view = FileView(0..<file.end)
    if let correction = extent?.correction {
      view = view.replacing(at: correction.offset, with: correction.bytes)
    }
    let large = try largeView(extent)
    var survey = SoundSurvey(
      [SoundStream(large ?? view)], container: large == nil ? nil : Self.waveName)
    try FileTail(file: file, chunks: chunks).check(extent, &survey)
    if let common = try chunks?.content(of: "COMM", upTo: 1 << 12), common.count >= 2,
      let channels = ChannelCount(Int(common[0]) << 8 | Int(common[1])),
      let positions = try chunks?.content(of: "CHAN", upTo: 1 << 12)
    {
      survey.streams[0].speakers = AppleLayout.speakers(positions, channels)
    }
    return survey
  }

  /// Returns a view that presents a RIFF file as RF64 if the file has at least 4 GiB of samples and
  /// does not state their size. In RIFF, a decoder would find only the first 4 GiB. Returns nil for
  /// any other file.
  private func largeView(_ extent: SampleExtent?) throws(SoundFileError) -> FileView? {
    guard let extent, extent.count == nil, let chunks else { return nil }
    let samples = Int64(extent.range(upTo: try chunks.endOfSamples()).count)
    guard samples >= Int64(UInt32.max), try chunks.canBecomeLarge() else { return nil }
    var view = FileView()
    view.append(WaveFormat.largeHead(rest: file.end - 8, samples: samples))
    view.append(Int64(WaveFormat.headBytes)..<extent.start - 4)
    view.append(UInt32.max.littleBytes)
    view.append(extent.start..<file.end)
    return view
  }

  private func waveSurvey() throws(SoundFileError) -> SoundSurvey {
    var survey = try correctedSurvey()
    if let format = try waveFormat() {
      if format.holdsMPEG, let extent = try SampleExtent.of(file, chunks) {
        return try mpegStreams(extent.range(upTo: file.end), in: survey, Self.waveName)
      }
      if let name = format.undecodedName {
        throw .notDecoded(subject: file.label, kind: "WAV audio (\(name))", isConvertible: true)
      }
      survey.streams[0].speakers = format.speakers
      if let raw = format.swapped, let extent = try SampleExtent.of(file, chunks) {
        let view = FileView(extent.range(upTo: file.end))
        survey.streams = [SoundStream(view, raw: raw, speakers: format.speakers)]
        survey.container = Self.waveName
      }
    }
    if try file.bytes(at: 0, upTo: 4) == Array("BW64".utf8) {
      let name = Array("RF64".utf8)
      survey.streams[0].view = survey.streams[0].view.replacing(at: 0, with: name)
      if let stated = survey.stated?.view {
        survey.stated = SoundStream(stated.replacing(at: 0, with: name))
      }
      survey.container = "BW64 (EBU)"
    }
    return survey
  }

  private static let waveName = "WAV (Microsoft)"

  /// Surveys a Wave64 file and presents it as a WAV file. The formats differ only in the 64-bit
  /// sizes, and decoders support more encodings in WAV.
  private func wave64Survey() throws(SoundFileError) -> SoundSurvey {
    var survey = try correctedSurvey()
    let name = "W64 (SoundFoundry WAVE 64)"
    survey.container = name
    guard let extent = try SampleExtent.of(file, chunks), let content = try formatContent() else {
      return survey
    }
    let samples = extent.range(upTo: file.end)
    let format = WaveFormat(content, isSwapped: false)
    if format?.holdsMPEG == true { return try mpegStreams(samples, in: survey, name) }
    var view = FileView()
    view.append(WaveFormat.header(content, samples: Int64(samples.count)))
    view.append(samples)
    survey.streams = [SoundStream(view, speakers: format?.speakers)]
    return survey
  }

  private func waveFormat() throws(SoundFileError) -> WaveFormat? {
    let isSwapped = try file.bytes(at: 0, upTo: 4) == Array("RIFX".utf8)
    return try formatContent().flatMap { WaveFormat($0, isSwapped: isSwapped) }
  }

  /// Returns the content of the chunk that describes the samples.
  private func formatContent() throws(SoundFileError) -> [UInt8]? {
    try chunks?.content(of: "fmt ", upTo: 1 << 12)
  }
}
