internal import Audio

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
  /// The stream that a `fmt ` chunk of 16 bytes or more from `start` on describes; nil for any other kind.
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
