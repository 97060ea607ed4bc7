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

  /// No mask of loudspeakers: the channels of a recording are inputs.
  private func appendExtension(to bytes: inout [UInt8]) {
    bytes.append(little: UInt16(stream.sample.bytesPerSample * 8))
    bytes.append(little: UInt32(0))
    bytes.append(little: formatTag)
    bytes += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
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

/// The chunks after the samples of a WAV file: marked frames with their labels, and texts.
///
/// libsndfile refuses cues once there are samples, and drops them in RF64.
enum WaveTail {
  /// The chunks in their order, `cue `, `LIST` of `adtl`, `LIST` of `INFO`; empty ones are skipped.
  static func bytes(cues: [SoundFileCue], tags: SoundFileTags) -> [UInt8] {
    // A cue's position has 32 bits: a mark beyond 2³² frames stays in the sidecar alone.
    let cues = cues.filter { (0...Int64(UInt32.max)).contains($0.frame.value) }
    let info = infoList(tags)
    var bytes: [UInt8] = []
    if !cues.isEmpty {
      bytes.append(chunk: "cue ", cueChunk(cues))
      bytes.append(chunk: "LIST", labelList(cues))
    }
    if !info.isEmpty { bytes.append(chunk: "LIST", Array("INFO".utf8) + info) }
    return bytes
  }

  /// True where the bytes behind the samples begin as one of these chunks does, cut off or not.
  static func begins(with bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty else { return false }
    return ["cue ", "LIST"].contains { $0.utf8.starts(with: bytes.prefix(4)) }
  }

  private static func cueChunk(_ cues: [SoundFileCue]) -> [UInt8] {
    var chunk: [UInt8] = []
    chunk.append(little: UInt32(cues.count))
    for (index, cue) in cues.enumerated() {
      let frame = UInt32(cue.frame.value)
      chunk.append(little: UInt32(index + 1))
      chunk.append(little: frame)
      chunk.append(name: "data")
      chunk.append(little: UInt64(0))
      chunk.append(little: frame)
    }
    return chunk
  }

  private static func labelList(_ cues: [SoundFileCue]) -> [UInt8] {
    var list = Array("adtl".utf8)
    for (index, cue) in cues.enumerated() {
      var label: [UInt8] = []
      label.append(little: UInt32(index + 1))
      list.append(chunk: "labl", label + terminated(cue.label))
    }
    return list
  }

  private static func infoList(_ tags: SoundFileTags) -> [UInt8] {
    var list: [UInt8] = []
    for tag in SoundFileTag.allCases {
      guard let name = tag.infoName, let text = tags[tag], !text.isEmpty else { continue }
      list.append(chunk: name, terminated(text))
    }
    return list
  }

  /// Readers take a NUL for the end.
  private static func terminated(_ text: String) -> [UInt8] { text.utf8.filter { $0 != 0 } + [0] }
}

extension WaveTail {
  /// The marked frames of a tail; chunks that are cut off or unknown are skipped.
  ///
  /// libsndfile drops cues in RF64, and the labels behind the first hundred everywhere.
  static func cues(in tail: [UInt8]) -> [SoundFileCue] {
    var frames: [(identity: UInt32, frame: UInt32)] = []
    var labels: [UInt32: String] = [:]
    for chunk in chunks(of: tail[...]) {
      switch chunk.name {
      case "cue ": frames = points(of: chunk.content)
      case "LIST" where chunk.content.starts(with: "adtl".utf8):
        for label in chunks(of: chunk.content.dropFirst(4)) where label.name == "labl" {
          guard label.content.count >= 4 else { continue }
          let text = label.content.dropFirst(4).prefix { $0 != 0 }
          labels[number(label.content)] = String(decoding: text, as: UTF8.self)
        }
      default: continue
      }
    }
    return frames.map { point in
      SoundFileCue(at: FrameCount(Int64(point.frame)), label: labels[point.identity] ?? "")
    }
  }

  private typealias Chunk = (name: String, content: ArraySlice<UInt8>)

  private static func chunks(of bytes: ArraySlice<UInt8>) -> [Chunk] {
    var chunks: [Chunk] = []
    var rest = bytes
    while rest.count >= 8 {
      let size = Int(number(rest.dropFirst(4)))
      guard size <= rest.count - 8 else { break }
      chunks.append(
        (String(decoding: rest.prefix(4), as: UTF8.self), rest.dropFirst(8).prefix(size)))
      rest = rest.dropFirst(8 + size + size % 2)
    }
    return chunks
  }

  /// Each point has 24 bytes, the first four its identity, the last four its frame.
  private static func points(of content: ArraySlice<UInt8>) -> [(identity: UInt32, frame: UInt32)] {
    let bytes = content.dropFirst(4)
    return stride(from: 0, to: bytes.count - bytes.count % 24, by: 24).map { start in
      let point = bytes.dropFirst(start)
      return (number(point), number(point.dropFirst(20)))
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// Bytes as RIFF lays them out: little-endian numbers and four-letter names.
extension [UInt8] {
  mutating func append(name: String) { append(contentsOf: name.utf8) }

  /// The beginning of a chunk.
  mutating func append(name: String, size: UInt32) {
    append(name: name)
    append(little: size)
  }

  mutating func append<Number: FixedWidthInteger>(little number: Number) {
    for byte in 0..<(Number.bitWidth / 8) {
      append(UInt8(truncatingIfNeeded: number >> (8 * byte)))
    }
  }

  /// A number of 32 bits, or the largest there is, which stands for "see the ds64 chunk".
  mutating func append(clamping number: Int64) { append(little: UInt32(clamping: number)) }

  /// A chunk: its name, its size, its content, and a byte more where the size is odd.
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
