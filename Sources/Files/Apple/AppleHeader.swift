internal import Audio

/// The header of a CAF or AIFF file that this program writes.
///
/// The header's length depends only on the stream, not on the file's size. So the header can be
/// replaced in place, by one write that is smaller than a memory page. CAF stores the lowest byte
/// of a sample first, as WAV does. AIFF stores the highest byte first, and needs AIFF-C for
/// floating-point samples. Sources: Apple's Core Audio Format Specification 1.0 and Audio
/// Interchange File Format AIFF-C, draft of 1991.
struct AppleHeader: Hashable, Sendable {
  /// The container, CAF or AIFF.
  let format: FileFormat
  /// The format of the samples.
  let stream: StreamFormat

  private var isCAF: Bool { format == .caf }

  /// The header for a stream, or nil if the format is neither CAF nor AIFF.
  init?(_ format: FileFormat, _ stream: StreamFormat) {
    guard format == .caf || format == .aiff else { return nil }
    (self.format, self.stream) = (format, stream)
  }

  /// Whether the file is AIFF-C. Only AIFF-C can hold floating-point samples.
  private var isCompressed: Bool { !isCAF && stream.sample.isFloat }

  /// The header's length in bytes. The samples begin there.
  var count: Int { isCAF ? 68 : isCompressed ? 72 : 54 }

  /// Returns the size of the samples in the file, including their padding. AIFF pads a chunk to an
  /// even length.
  func stored(_ audio: Int64) -> Int64 { isCAF ? audio : audio.padded }

  /// Returns the header of a file that ends with `audio` bytes of samples. The size of such a file,
  /// `end`, is not needed, because it follows from `audio`.
  func bytes(audio: Int64, end: Int64) -> [UInt8] {
    isCAF ? core(audio) : interchange(audio)
  }

  private func core(_ audio: Int64) -> [UInt8] {
    var bytes = Array("caff".utf8) + [0, 1, 0, 0]
    bytes.append(name: "desc")
    bytes.append(big: Int64(32))
    bytes.append(big: Double(stream.rate.hertz).bitPattern)
    bytes.append(name: "lpcm")
    // Flags: 1 means floating-point samples, and 2 means little-endian samples.
    bytes.append(big: UInt32(stream.sample.isFloat ? 3 : 2))
    bytes.append(big: UInt32(stream.bytesPerFrame))
    bytes.append(big: UInt32(1))
    bytes.append(big: UInt32(stream.channels.value))
    bytes.append(big: UInt32(stream.sample.bytesPerSample * 8))
    bytes.append(name: "data")
    bytes.append(big: audio + 4)
    bytes.append(big: UInt32(0))
    return bytes
  }

  private func interchange(_ audio: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(name: "FORM")
    bytes.append(big: UInt32(clamping: Int64(count) + audio.padded - 8))
    bytes.append(name: isCompressed ? "AIFC" : "AIFF")
    if isCompressed {
      bytes.append(name: "FVER")
      bytes.append(big: UInt32(4))
      bytes.append(big: UInt32(0xA280_5140))
    }
    bytes.append(name: "COMM")
    bytes.append(big: UInt32(isCompressed ? 24 : 18))
    bytes.append(big: UInt16(stream.channels.value))
    bytes.append(big: UInt32(clamping: audio / Int64(stream.bytesPerFrame)))
    bytes.append(big: UInt16(stream.sample.bytesPerSample * 8))
    bytes += Self.extended(stream.rate)
    if isCompressed {
      bytes.append(name: "fl32")
      bytes += [0, 0]
    }
    bytes.append(name: "SSND")
    bytes.append(big: UInt32(clamping: audio + 8))
    bytes.append(big: UInt64(0))
    return bytes
  }

  /// Returns a rate as an 80-bit floating-point number, with an exponent of 15 bits and a
  /// significand that begins with a 1 bit.
  private static func extended(_ rate: SampleRate) -> [UInt8] {
    let shift = UInt64(rate.hertz).leadingZeroBitCount
    return UInt16(16_383 + 63 - shift).bigBytes + (UInt64(rate.hertz) << UInt64(shift)).bigBytes
  }
}

extension AppleHeader {
  /// The length of the longest header.
  static let mostBytes = 72

  /// Parses the header at the beginning of a file. The result is nil if another program wrote it.
  init?(parsing bytes: [UInt8]) {
    guard bytes.count >= 54, let (format, stream) = Self.stream(in: bytes) else { return nil }
    self.init(format, stream)
    guard bytes.count >= count else { return nil }
    let own = self.bytes(audio: statedAudio(in: bytes), end: 0)
    guard own.elementsMatch(bytes, but: sizeFields) else { return nil }
  }

  /// Returns the size of the samples in bytes, as the header states it.
  func statedAudio(in bytes: [UInt8]) -> Int64 {
    let stated =
      isCAF
      ? bytes.number(at: 56, as: Int64.self).byteSwapped &- 4
      : Int64(bytes.number(at: count - 12, as: UInt32.self).byteSwapped) - 8
    return max(0, stated)
  }

  /// The positions of the size fields. After a crash, their values can be wrong.
  private var sizeFields: [Range<Int>] {
    if isCAF { return [56..<64] }
    let frames = isCompressed ? 34 : 22
    return [4..<8, frames..<frames + 4, (count - 12)..<(count - 8)]
  }

  private static func stream(in bytes: [UInt8]) -> (FileFormat, StreamFormat)? {
    if bytes.name(at: 0) == "caff" {
      let rate = Double(bitPattern: bytes.number(at: 20, as: UInt64.self).byteSwapped)
      let isFloat = bytes.number(at: 32, as: UInt32.self).byteSwapped & 1 == 1
      let bits = Int(bytes.number(at: 48, as: UInt32.self).byteSwapped & 0xFFFF)
      guard let hertz = Int(exactly: rate) else { return nil }
      let channels = Int(bytes.number(at: 44, as: UInt32.self).byteSwapped & 0xFFFF)
      return StreamFormat(hertz, channels, bits, isFloat: isFloat).map { (.caf, $0) }
    }
    guard bytes.name(at: 0) == "FORM", ["AIFF", "AIFC"].contains(bytes.name(at: 8)) else {
      return nil
    }
    let isFloat = bytes.name(at: 8) == "AIFC"
    let start = isFloat ? 32 : 20
    let exponent = Int(bytes.number(at: start + 8, as: UInt16.self).byteSwapped) - 16_383
    guard (0...62).contains(exponent) else { return nil }
    let significand = bytes.number(at: start + 10, as: UInt64.self).byteSwapped
    let channels = Int(bytes.number(at: start, as: UInt16.self).byteSwapped)
    let bits = Int(bytes.number(at: start + 6, as: UInt16.self).byteSwapped)
    let hertz = Int(significand >> UInt64(63 - exponent))
    return StreamFormat(hertz, channels, bits, isFloat: isFloat).map { (.aiff, $0) }
  }
}

extension [UInt8] {
  mutating func append(big number: some FixedWidthInteger) { self += number.bigBytes }
}

extension AppleHeader: SoundFileHeader {
  /// Finishes a file: corrects the header, and writes `tail` after the samples. The header is
  /// written first. So after a crash between the writes, the next recovery can correct the file.
  func end(_ file: CheckedFile, audio: Int64, tail: [UInt8]) throws(SoundFileError) {
    let audioEnd = Int64(count) + audio
    try write(to: file, audio: audio, end: audioEnd)
    if file.end > audioEnd { try file.truncate(to: audioEnd) }
    let padding = [UInt8](repeating: 0, count: Int(stored(audio) - audio))
    if !padding.isEmpty { try unsafe file.write(padding.span.bytes, at: audioEnd) }
    guard !tail.isEmpty else { return }
    try unsafe file.write(tail.span.bytes, at: file.end)
    if isCAF { return }
    try FilePatch(offset: 4, bytes: UInt32(clamping: file.end - 8).bigBytes).write(to: file)
  }

  /// Returns the chunks after the samples: marks and texts in AIFF, texts in CAF.
  ///
  /// Sources: Audio Interchange File Format 1.3, "Marker Chunk" and "Text Chunks"; Core Audio
  /// Format Specification 1.0, "Information Chunk".
  func tail(cues: [SoundFileCue], tags: SoundFileTags) -> [UInt8] {
    isCAF ? information(tags) : markers(cues) + texts(tags)
  }

  private func markers(_ cues: [SoundFileCue]) -> [UInt8] {
    // An identifier has 15 bits, and a position has 32.
    let cues = cues.filter { (0...Int64(UInt32.max)).contains($0.frame.value) }
      .prefix(Int(Int16.max))
    guard !cues.isEmpty else { return [] }
    var content = UInt16(cues.count).bigBytes
    for (index, cue) in cues.enumerated() {
      content.append(big: UInt16(index + 1))
      content.append(big: UInt32(cue.frame.value))
      let label = Self.name(cue.label)
      content.append(UInt8(label.count))
      content += label
      if label.count.isMultiple(of: 2) { content.append(0) }
    }
    return Self.chunk("MARK", content)
  }

  /// Returns a label of at most 255 bytes, cut between two characters.
  private static func name(_ label: String) -> [UInt8] {
    var short = label[...]
    while short.utf8.count > 255 { short.removeLast() }
    return Array(short.utf8)
  }

  private func texts(_ tags: SoundFileTags) -> [UInt8] {
    let names: [(SoundFileTag, String)] = [
      (.title, "NAME"), (.artist, "AUTH"), (.copyright, "(c) "), (.comment, "ANNO"),
    ]
    return names.flatMap { tag, name in
      tags[tag].map { $0.isEmpty ? [] : Self.chunk(name, Array($0.utf8)) } ?? []
    }
  }

  private func information(_ tags: SoundFileTags) -> [UInt8] {
    let names: [(SoundFileTag, String)] = [
      (.title, "title"), (.artist, "artist"), (.album, "album"), (.trackNumber, "track number"),
      (.genre, "genre"), (.date, "recorded date"), (.comment, "comments"),
      (.copyright, "copyright"),
    ]
    let known = names.compactMap { tag, name in tags[tag].map { (name, $0) } }
    guard !known.isEmpty else { return [] }
    var content = UInt32(known.count).bigBytes
    for (name, text) in known {
      content += Array(name.utf8) + [0] + text.utf8.filter { $0 != 0 } + [0]
    }
    return Array("info".utf8) + Int64(content.count).bigBytes + content
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let padding: [UInt8] = content.count.isMultiple(of: 2) ? [] : [0]
    return Array(name.utf8) + UInt32(content.count).bigBytes + content + padding
  }
}
