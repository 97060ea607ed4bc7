package import Audio

/// The bytes before the samples of a WAV file of ours.
///
/// They have one length for one stream, whatever the file's size, so that one write of less than a
/// page replaces them: RIFF, 28 reserved bytes that become the `ds64` chunk past 4 GiB, `fmt `, for
/// floating-point samples `fact`, and `data`. Up to two channels of integers are plain PCM, the
/// only kind that Python's `wave` opens; libsndfile writes WAVE_FORMAT_EXTENSIBLE in RF64, and
/// cannot be told not to. Sources: EBU Tech 3306 (RF64), RFC 2361 and Microsoft's mmreg.h (`fmt `).
package struct WaveHeader: Hashable, Sendable {
  /// The format of the samples.
  package let stream: StreamFormat

  /// The header for a stream, of a length that depends on nothing else.
  package init(_ stream: StreamFormat) { self.stream = stream }

  /// The header's length in bytes, at which the samples begin.
  package var count: Int { 64 + kind.formatSize + (stream.sample.isFloat ? 12 : 0) }

  /// The header of a file of `end` bytes of which `audio` are samples; a foreign one may claim any
  /// numbers.
  package func bytes(audio: Int64, end: Int64) -> [UInt8] {
    let isLarge = end - 8 >= Int64(UInt32.max)
    let frames = audio / Int64(stream.bytesPerFrame)
    var bytes: [UInt8] = []
    bytes.append(name: isLarge ? "RF64" : "RIFF")
    bytes.append(clamping: isLarge ? .max : end - 8)
    bytes.append(name: "WAVE")
    bytes.append(
      chunk: isLarge ? "ds64" : "JUNK",
      isLarge ? largeSizes(audio: audio, end: end, frames: frames) : Array(repeating: 0, count: 28))
    bytes.append(chunk: "fmt ", formatChunk)
    if stream.sample.isFloat {
      var fact: [UInt8] = []
      fact.append(clamping: frames)
      bytes.append(chunk: "fact", fact)
    }
    bytes.append(name: "data")
    bytes.append(clamping: isLarge ? .max : audio)
    return bytes
  }
}

extension WaveHeader {
  /// The three shapes of a `fmt ` chunk.
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

  private var formatChunk: [UInt8] {
    var chunk: [UInt8] = []
    chunk.append(little: kind == .extensible ? 0xFFFE : formatTag)
    chunk.append(little: UInt16(stream.channels.value))
    chunk.append(little: UInt32(stream.rate.hertz))
    chunk.append(little: UInt32(stream.bytesPerSecond))
    chunk.append(little: UInt16(stream.bytesPerFrame))
    chunk.append(little: UInt16(stream.sample.bytesPerSample * 8))
    if kind != .plain { chunk.append(little: UInt16(kind.formatSize - 18)) }
    if kind == .extensible { chunk.append(contentsOf: formatExtension) }
    return chunk
  }

  /// No mask of loudspeakers: the channels of a recording are inputs.
  private var formatExtension: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(little: UInt16(stream.sample.bytesPerSample * 8))
    bytes.append(little: UInt32(0))
    bytes.append(little: formatTag)
    bytes += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    return bytes
  }

  private func largeSizes(audio: Int64, end: Int64, frames: Int64) -> [UInt8] {
    var chunk: [UInt8] = []
    chunk.append(little: end - 8)
    chunk.append(little: audio)
    chunk.append(little: frames)
    chunk.append(little: UInt32(0))
    return chunk
  }
}

extension WaveHeader {
  /// No header of ours is longer.
  static let mostBytes = 116

  /// The header at the beginning of a file, or nil where another program wrote it.
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

  /// The lengths of the samples and of the file, as a header states them.
  func statedSizes(in bytes: [UInt8]) -> (audio: Int64, end: Int64) {
    if bytes.name(at: 0) == "RF64" {
      let end = bytes.number(at: 20, as: Int64.self)
      return (max(0, bytes.number(at: 28, as: Int64.self)), max(0, end &+ 8))
    }
    let audio = bytes.number(at: count - 4, as: UInt32.self)
    return (Int64(audio), Int64(bytes.number(at: 4, as: UInt32.self)) + 8)
  }

  /// The bytes that may be wrong in a header that is ours all the same.
  private var sizeFields: [Range<Int>] {
    let fact = stream.sample.isFloat ? [(count - 12)..<(count - 8)] : []
    return [0..<8, 12..<16, 20..<48, (count - 4)..<count] + fact
  }
}

extension StreamFormat {
  /// The stream that a `fmt ` chunk of 16 bytes or more from `start` on describes; nil for any
  /// other kind.
  init?(waveFormat bytes: [UInt8], at start: Int) {
    let tag = bytes.number(at: start, as: UInt16.self)
    let isExtensible = tag == 0xFFFE
    guard !isExtensible || bytes.count >= start + 40 else { return nil }
    let kind = isExtensible ? bytes.number(at: start + 24, as: UInt16.self) : tag
    let bits = bytes.number(at: start + 14, as: UInt16.self)
    guard let sample = SampleFormat(waveTag: kind, bits: bits),
      let rate = SampleRate(Int(bytes.number(at: start + 4, as: UInt32.self))),
      let channels = ChannelCount(Int(bytes.number(at: start + 2, as: UInt16.self)))
    else { return nil }
    self.init(rate: rate, channels: channels, sample: sample)
  }
}

extension SampleFormat {
  fileprivate init?(waveTag tag: UInt16, bits: UInt16) {
    switch (tag, bits) {
    case (1, 16): self = .int16
    case (1, 24): self = .int24Packed
    case (1, 32): self = .int32
    case (3, 32): self = .float32
    default: return nil
    }
  }
}

extension [UInt8] {
  /// True where `other` begins with these bytes, save for those in `fields`.
  fileprivate func elementsMatch(_ other: [UInt8], but fields: [Range<Int>]) -> Bool {
    indices.allSatisfy { index in
      self[index] == other[index] || fields.contains { $0.contains(index) }
    }
  }
}
