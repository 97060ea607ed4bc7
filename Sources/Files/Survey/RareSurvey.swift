internal import Audio
internal import Linux

/// The survey of a Creative Voice file before a decoder reads the file. The samples of the file are
/// in blocks.
///
/// https://wiki.multimedia.cx/index.php/Creative_Voice describes the blocks. Loops are played once.
struct CreativeSurvey {
  let file: CheckedFile

  /// Returns a stream for each sequence of blocks with the same format.
  func survey() throws(SoundFileError) -> SoundSurvey {
    let head = try file.bytes(at: 0, upTo: 26)
    guard head.count == 26, head.starts(with: "Creative Voice File\u{1A}".utf8) else {
      throw .notSound(subject: file.label)
    }
    var streams: [SoundStream] = []
    var extended: RawStream?
    var offset = Int64(head.number(at: 20, as: UInt16.self))
    while let kind = try file.bytes(at: offset, upTo: 1).first, kind != 0 {
      let block = try file.bytes(at: offset, upTo: 20)
      guard block.count >= 4 else { break }
      let size = Int64(block[1]) | Int64(block[2]) << 8 | Int64(block[3]) << 16
      var content = offset + 4..<offset + 4 + size
      // The size that SoX writes omits eight bytes of the block's header.
      if kind == 9, file.end - content.upperBound == 9 {
        content = content.lowerBound..<file.end - 1
      }
      try take(kind, block, content, &extended, &streams)
      guard streams.last?.view.isTooFragmented != true, streams.count < Self.mostStreams else {
        throw .undecodable(subject: file.label, container: Self.name)
      }
      offset = content.upperBound
    }
    guard !streams.isEmpty else { throw .notSound(subject: file.label) }
    var survey = SoundSurvey(streams, container: Self.name)
    survey.hasSamples = true
    if offset > file.end {
      survey.fault = .cutOff(subject: file.label, expected: offset, actual: file.end)
    } else if offset < file.end {
      survey.trailingBytes = try FileTail.trailingBytes(of: file, from: offset + 1)
    }
    return survey
  }

  private static let name = "VOC (Creative Labs)"
  private static let mostStreams = 4_096

  private func take(
    _ kind: UInt8, _ block: [UInt8], _ content: Range<Int64>, _ extended: inout RawStream?,
    _ streams: inout [SoundStream]
  ) throws(SoundFileError) {
    let last = min(content.upperBound, file.end)
    func samples(from skipped: Int64) -> Range<Int64> {
      min(content.lowerBound + skipped, last)..<last
    }
    switch kind {
    case 1:
      let raw = if let extended { extended } else { try plain(block) }
      extended = nil
      append(samples(from: 2), raw, &streams)
    case 2: streams.last?.raw.map { append(samples(from: 0), $0, &streams) }
    case 3: try appendSilence(block, &streams)
    case 8: extended = try earlier(block)
    case 9: append(samples(from: 12), try newer(block), &streams)
    default: break
    }
  }

  private func append(_ range: Range<Int64>, _ raw: RawStream, _ streams: inout [SoundStream]) {
    if streams.last?.raw != raw { streams.append(SoundStream(FileView(), raw: raw)) }
    streams[streams.count - 1].view.append(range)
  }

  private func appendSilence(
    _ block: [UInt8], _ streams: inout [SoundStream]
  ) throws(SoundFileError) {
    guard block.count >= 7 else { return }
    let frames = Int64(block.number(at: 4, as: UInt16.self)) + 1
    let raw =
      if let last = streams.last?.raw { last } else { try raw(Self.rate(block[6]), 1, .unsigned8) }
    if streams.isEmpty { streams.append(SoundStream(FileView(), raw: raw)) }
    let (byte, bytes): (UInt8, Int64) =
      switch raw.encoding {
      case .unsigned8: (0x80, 1)
      case .signed8: (0, 1)
      case .aLaw: (0xD5, 1)
      case .muLaw: (0xFF, 1)
      case .signed16, .plain: (0, 2)
      }
    streams[streams.count - 1].view.append(byte, times: frames * bytes * Int64(raw.channels.value))
  }

  private static func rate(_ constant: UInt8) -> Int { 1_000_000 / (256 - Int(constant)) }

  private func plain(_ block: [UInt8]) throws(SoundFileError) -> RawStream {
    guard block.count >= 6 else { throw .notSound(subject: file.label) }
    return try raw(Self.rate(block[4]), 1, encoding(Int(block[5]), bits: 8))
  }

  private func earlier(_ block: [UInt8]) throws(SoundFileError) -> RawStream {
    guard block.count >= 8 else { throw .notSound(subject: file.label) }
    let channels = Int(block[7]) + 1
    let divisor = 65_536 - Int(block.number(at: 4, as: UInt16.self))
    return try raw(256_000_000 / (channels * divisor), channels, encoding(Int(block[6]), bits: 8))
  }

  private func newer(_ block: [UInt8]) throws(SoundFileError) -> RawStream {
    guard block.count >= 16 else { throw .notSound(subject: file.label) }
    let code = Int(block.number(at: 10, as: UInt16.self))
    return try raw(
      Int(block.number(at: 4, as: UInt32.self)), Int(block[9]),
      encoding(code, bits: Int(block[8])))
  }

  private func encoding(_ code: Int, bits: Int) throws(SoundFileError) -> RawStream.Encoding {
    switch code {
    // Old versions of SoX also write 0 for 16 bits.
    case 0: return bits == 16 ? .signed16 : .unsigned8
    case 4: return .signed16
    case 6: return .aLaw
    case 7: return .muLaw
    default:
      throw .notDecoded(
        subject: file.label, kind: "Creative Voice audio (ADPCM)", isConvertible: true)
    }
  }

  private func raw(
    _ hertz: Int, _ channels: Int, _ encoding: RawStream.Encoding
  ) throws(SoundFileError) -> RawStream {
    guard let rate = SampleRate(hertz), let channels = ChannelCount(channels) else {
      throw .notSound(subject: file.label)
    }
    return RawStream(rate: rate, channels: channels, encoding: encoding)
  }
}

/// The survey of a NIST file before a decoder reads the file.
enum NISTSurvey {
  /// Returns the stream. If decoders do not support the width of the samples, the decoder sees only
  /// the samples, without the header.
  static func survey(_ file: CheckedFile) throws(SoundFileError) -> SoundSurvey {
    var survey = SoundSurvey([SoundStream(FileView(0..<file.end))])
    survey.hasSamples = file.end > headerBytes
    let text = String(decoding: try file.bytes(at: 0, upTo: Int(headerBytes)), as: UTF8.self)
    let fields = fields(in: text)
    let formats: [Int64: SampleFormat] = [3: .int24Packed, 4: .int32]
    guard fields["sample_coding"] ?? "pcm" == "pcm",
      let width = fields["sample_n_bytes"].flatMap({ Int64($0) }), (1...4).contains(width),
      let rate = fields["sample_rate"].flatMap({ Int($0) }).flatMap(SampleRate.init),
      let channels = fields["channel_count"].flatMap({ Int($0) }).flatMap(ChannelCount.init),
      let frames = fields["sample_count"].flatMap({ Int64($0) }), frames >= 0
    else { return survey }
    let bytesPerFrame = width * Int64(channels.value)
    let count = min(frames, max(0, file.end - headerBytes) / bytesPerFrame)
    let last = headerBytes + count * bytesPerFrame
    survey.streams[0].frames = FrameCount(count)
    if let sample = formats[width] {
      let order = fields["sample_byte_format"] ?? ""
      let raw = RawStream(
        rate: rate, channels: channels, encoding: .plain(sample),
        isBigEndian: order.begins(with: "1"))
      survey.streams = [SoundStream(FileView(headerBytes..<last), raw: raw)]
      survey.container = "WAV (NIST Sphere)"
    }
    if count < frames {
      survey.streams[0].missing = FrameCount(frames - count)
      survey.fault = .cutOff(subject: file.label, expected: nil, actual: file.end)
    } else {
      survey.trailingBytes = try FileTail.trailingBytes(of: file, from: last)
    }
    return survey
  }

  private static let headerBytes: Int64 = 1_024

  /// Returns the fields of the header: lines with a name, a type and a value.
  private static func fields(in text: String) -> [String: String] {
    var fields: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 3 { fields[String(words[0])] = String(words[2]) }
    }
    return fields
  }
}

/// The survey of an 8-bit stereo IFF file before a decoder reads the file. In the file, the whole
/// left channel comes before the right channel.
struct InterleavedSurvey {
  private let chunks: Chunks
  private var file: CheckedFile { chunks.file }

  /// The result is nil for any other file.
  init?(_ chunks: Chunks?) throws(SoundFileError) {
    guard let chunks else { return nil }
    let head = try chunks.file.bytes(at: 0, upTo: 12)
    guard head.count == 12, head.name(at: 8) == "8SVX",
      try chunks.content(of: "CHAN", upTo: 4) == [0, 0, 0, 6]
    else { return nil }
    self.chunks = chunks
  }

  /// Returns the stream. The view interleaves its channels.
  func survey() throws(SoundFileError) -> SoundSurvey {
    guard let header = try chunks.content(of: "VHDR", upTo: 64), header.count >= 20,
      let rate = SampleRate(Int(header[12]) << 8 | Int(header[13])),
      let extent = try chunks.sampleExtent(), let count = extent.count
    else { throw .notSound(subject: file.label) }
    guard header[15] == 0 else {
      throw .notDecoded(subject: file.label, kind: "IFF audio (compressed)", isConvertible: true)
    }
    var view = FileView()
    let second = extent.start + count / 2
    let frames = max(0, min(count / 2, file.end - second))
    view.append(pairsFrom: extent.start, second, count: frames)
    let raw = RawStream(rate: rate, channels: .stereo, encoding: .signed8)
    var survey = SoundSurvey([SoundStream(view, raw: raw)], container: "IFF (Amiga IFF/SVX8/SV16)")
    survey.hasSamples = count > 0
    if frames < count / 2 {
      survey.streams[0].missing = FrameCount(count / 2 - frames)
      survey.fault = .cutOff(subject: file.label, expected: second + count / 2, actual: file.end)
    }
    return survey
  }
}
