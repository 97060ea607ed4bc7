package import Audio

/// The header of a WAV file that this program writes.
///
/// The header's length depends only on the stream, not on the file's size. So the header can be
/// replaced in place, by one write that is smaller than a memory page. The header consists of RIFF,
/// a reserved chunk of 28 bytes, `fmt `, `fact` for floating-point samples, and `data`. If the file
/// exceeds 4 GiB, RIFF becomes RF64, and the reserved chunk becomes `ds64`. Integer samples of one
/// or two channels are stored as plain PCM, because this is the only kind that Python's `wave`
/// opens. In contrast, libsndfile always writes WAVE_FORMAT_EXTENSIBLE in RF64. Sources: EBU Tech
/// 3306 (RF64), RFC 2361 and Microsoft's mmreg.h (`fmt `).
package struct WaveHeader: Hashable, Sendable {
  /// The format of the samples.
  package let stream: StreamFormat

  /// The header for a stream.
  package init(_ stream: StreamFormat) { self.stream = stream }

  /// The header's length in bytes. The samples begin there.
  package var count: Int { 64 + kind.formatSize + (stream.sample.isFloat ? 12 : 0) }

  /// Returns the header of a file of `end` bytes, including `audio` bytes of samples. The numbers
  /// may have any value, because they may come from a header that another program wrote.
  package func bytes(audio: Int64, end: Int64) -> [UInt8] {
    let isLarge = end - 8 >= Int64(UInt32.max)
    let frames = audio / Int64(stream.bytesPerFrame)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    bytes.append(name: isLarge ? "RF64" : "RIFF")
    bytes.append(clamping: isLarge ? .max : end - 8)
    bytes.append(name: "WAVE")
    bytes.append(name: isLarge ? "ds64" : "JUNK", size: 28)
    for size in [end - 8, audio, frames] { bytes.append(little: isLarge ? size : 0) }
    bytes.append(little: UInt32(0))
    bytes.append(name: "fmt ", size: UInt32(kind.formatSize))
    appendFormat(to: &bytes)
    if stream.sample.isFloat {
      bytes.append(name: "fact", size: 4)
      bytes.append(clamping: frames)
    }
    bytes.append(name: "data")
    bytes.append(clamping: isLarge ? .max : audio)
    return bytes
  }
}

extension WaveHeader {
  /// The three forms of a `fmt ` chunk.
  private enum Kind {
    case plain, float, extensible

    var formatSize: Int {
      switch self {
      case .plain: 16
      case .float: 18
      case .extensible: 40
      }
    }
  }

  private var kind: Kind {
    if stream.channels > .stereo { return .extensible }
    return stream.sample.isFloat ? .float : .plain
  }

  private var formatTag: UInt16 { stream.sample.isFloat ? 3 : 1 }

  private func appendFormat(to bytes: inout [UInt8]) {
    bytes.append(little: kind == .extensible ? 0xFFFE : formatTag)
    bytes.append(little: UInt16(stream.channels.value))
    bytes.append(little: UInt32(stream.rate.hertz))
    bytes.append(little: UInt32(stream.bytesPerSecond))
    bytes.append(little: UInt16(stream.bytesPerFrame))
    bytes.append(little: UInt16(stream.sample.bytesPerSample * 8))
    if kind != .plain { bytes.append(little: UInt16(kind.formatSize - 18)) }
    if kind == .extensible { appendExtension(to: &bytes) }
  }

  /// The speaker mask is 0, because the channels of a recording are inputs, not speakers.
  private func appendExtension(to bytes: inout [UInt8]) {
    bytes.append(little: UInt16(stream.sample.bytesPerSample * 8))
    bytes.append(little: UInt32(0))
    bytes.append(little: formatTag)
    bytes += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
  }
}

extension WaveHeader: SoundFileHeader {
  func tail(cues: [SoundFileCue], tags: SoundFileTags) -> [UInt8] {
    WaveTail.bytes(cues: cues, tags: tags)
  }

  /// Finishes a file: corrects the header, and writes `tail` after the samples.
  ///
  /// First, this function writes and synchronizes a header that does not include the tail. The
  /// header includes the tail only after the tail is complete. So after a crash, the tail is never
  /// played as noise. The same is true after a power failure, which can leave writes on the disk in
  /// any order.
  func end(_ file: CheckedFile, audio: Int64, tail: [UInt8]) throws(SoundFileError) {
    let audioEnd = Int64(count) + audio
    try write(to: file, audio: audio, end: audioEnd.padded)
    if file.end > audioEnd { try file.truncate(to: audioEnd) }
    if !tail.isEmpty { try file.synchronizeData() }
    let padding = Array(repeating: UInt8(0), count: Int(audioEnd.padded - audioEnd))
    try unsafe file.write((padding + tail).span.bytes, at: audioEnd)
    if !tail.isEmpty { try write(to: file, audio: audio, end: file.end) }
  }
}

extension WaveHeader {
  /// The length of the longest header.
  static let mostBytes = 116

  /// Parses the header at the beginning of a file. The result is nil if another program wrote it.
  init?(parsing bytes: [UInt8]) {
    guard bytes.count >= 64 + 16, ["RIFF", "RF64"].contains(bytes.name(at: 0)),
      ["JUNK", "ds64"].contains(bytes.name(at: 12)),
      let stream = StreamFormat(waveFormat: bytes, at: 56)
    else { return nil }
    self.init(stream)
    guard bytes.count >= count else { return nil }
    let sizes = statedSizes(in: bytes)
    guard self.bytes(audio: sizes.audio, end: sizes.end).elementsMatch(bytes, but: sizeFields)
    else {
      return nil
    }
  }

  /// Returns the sizes of the samples and of the file that a header states.
  func statedSizes(in bytes: [UInt8]) -> (audio: Int64, end: Int64) {
    if bytes.name(at: 0) == "RF64" {
      let end = bytes.number(at: 20, as: Int64.self)
      return (max(0, bytes.number(at: 28, as: Int64.self)), max(0, end &+ 8))
    }
    let audio = bytes.number(at: count - 4, as: UInt32.self)
    return (Int64(audio), Int64(bytes.number(at: 4, as: UInt32.self)) + 8)
  }

  /// The positions of the size fields. After a crash, their values can be wrong.
  private var sizeFields: [Range<Int>] {
    let fact = stream.sample.isFloat ? [(count - 12)..<(count - 8)] : []
    return [0..<8, 12..<16, 20..<48, (count - 4)..<count] + fact
  }
}

extension StreamFormat {
  /// The stream that a `fmt ` chunk of 16 bytes or more at `start` describes, or nil for an
  /// unsupported format.
  init?(waveFormat bytes: [UInt8], at start: Int) {
    let tag = bytes.number(at: start, as: UInt16.self)
    let isExtensible = tag == 0xFFFE
    guard !isExtensible || bytes.count >= start + 40 else { return nil }
    let kind = isExtensible ? bytes.number(at: start + 24, as: UInt16.self) : tag
    guard kind == 1 || kind == 3 else { return nil }
    self.init(
      Int(bytes.number(at: start + 4, as: UInt32.self)),
      Int(bytes.number(at: start + 2, as: UInt16.self)),
      Int(bytes.number(at: start + 14, as: UInt16.self)), isFloat: kind == 3)
  }

  /// The stream that a header states, or nil if this program does not write such streams.
  init?(_ hertz: Int, _ channels: Int, _ bits: Int, isFloat: Bool) {
    let samples: [SampleFormat] = isFloat ? [.float32] : [.int16, .int24Packed, .int32]
    guard let sample = samples.first(where: { $0.bytesPerSample * 8 == bits }),
      let rate = SampleRate(hertz), let channels = ChannelCount(channels)
    else { return nil }
    self.init(rate: rate, channels: channels, sample: sample)
  }
}

extension [UInt8] {
  /// Returns whether `other` begins with these bytes. The bytes in `fields` may differ.
  func elementsMatch(_ other: [UInt8], but fields: [Range<Int>]) -> Bool {
    indices.allSatisfy { index in
      self[index] == other[index] || fields.contains { $0.contains(index) }
    }
  }
}

extension FixedWidthInteger {
  /// The bytes of the number, the lowest first.
  var littleBytes: [UInt8] {
    (0..<(Self.bitWidth / 8)).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }

  /// The bytes of the number, the highest first.
  var bigBytes: [UInt8] { littleBytes.reversed() }
}

/// Bytes in the layout of RIFF: little-endian numbers and four-letter names.
extension [UInt8] {
  mutating func append(name: String) { append(contentsOf: name.utf8) }

  /// Appends the head of a chunk: its name and its size.
  mutating func append(name: String, size: UInt32) {
    append(name: name)
    append(little: size)
  }

  mutating func append(little number: some FixedWidthInteger) { self += number.littleBytes }

  /// Appends a 32-bit number. A larger number becomes the maximum, which means "see the ds64
  /// chunk".
  mutating func append(clamping number: Int64) { append(little: UInt32(clamping: number)) }

  /// Appends a chunk: its name, its size, its content, and a padding byte if the size is odd.
  mutating func append(chunk name: String, _ content: [UInt8]) {
    append(name: name, size: UInt32(content.count))
    append(contentsOf: content)
    if !content.count.isMultiple(of: 2) { append(0) }
  }

  func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
    (0..<(Number.bitWidth / 8)).reduce(0) { $0 | Number(self[offset + $1]) << (8 * $1) }
  }

  func name(at offset: Int) -> String {
    String(decoding: self[offset..<(offset + 4)], as: UTF8.self)
  }
}
