internal import Audio

extension Waveform {
  /// Writes `frames` frames from number `first` on to the beginning of `buffer`.
  func fill(
    _ buffer: inout MutableRawSpan, from first: FrameCount, frames: Int, _ format: StreamFormat
  ) {
    // A range of Int, because unoptimised code allocates for each step through one of Int64.
    let numbers = Int(first.value)..<Int(first.value) + frames
    switch self {
    case .silence: buffer.fillSamples(of: numbers, format) { _, _ in 0 }
    case .ramp:
      buffer.fillSamples(of: numbers, format) { number, channel in
        Ramp.sample(Int64(number), channel: channel, of: format.channels.value, format.sample)
      }
    case .tone(let hertz):
      let tone = Tone(hertz: hertz, rate: format.rate)
      var latest: (number: Int, bits: UInt64) = (-1, 0)
      buffer.fillSamples(of: numbers, format) { number, _ in
        if latest.number != number { latest = (number, tone.sample(Int64(number), format.sample)) }
        return latest.bits
      }
    }
  }
}

extension MutableRawSpan {
  fileprivate mutating func fillSamples(
    of numbers: Range<Int>, _ format: StreamFormat, _ sample: (Int, Int) -> UInt64
  ) {
    var offset = 0
    for number in numbers {
      for channel in 0..<format.channels.value {
        store(sample(number, channel), bytes: format.sample.bytesPerSample, at: offset)
        offset += format.sample.bytesPerSample
      }
    }
  }

  private mutating func store(_ bits: UInt64, bytes: Int, at offset: Int) {
    switch bytes {
    case 2: storeBytes(of: UInt16(truncatingIfNeeded: bits), toByteOffset: offset, as: UInt16.self)
    case 3:
      storeBytes(of: UInt16(truncatingIfNeeded: bits), toByteOffset: offset, as: UInt16.self)
      storeBytes(
        of: UInt8(truncatingIfNeeded: bits >> 16), toByteOffset: offset + 2, as: UInt8.self)
    case 4: storeBytes(of: UInt32(truncatingIfNeeded: bits), toByteOffset: offset, as: UInt32.self)
    default: storeBytes(of: bits, toByteOffset: offset, as: UInt64.self)
    }
  }
}
