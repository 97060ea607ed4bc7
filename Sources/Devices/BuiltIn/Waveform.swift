internal import Audio
internal import Glibc

/// The signal of a built-in capture device.
package enum Waveform: Hashable, Sendable {
  /// A sine of this frequency at −20 dBFS, the usual level for aligning broadcast equipment.
  case tone(hertz: Int)
  /// Zeros.
  case silence
  /// Frames that contain their own number; see `Ramp`.
  case ramp

  /// Reads `tone`, `tone:440`, `silence` or `ramp`. A tone without a number has 1,000 Hz.
  init?(_ name: Substring) {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    switch (parts.first, parts.count) {
    case ("tone", 1): self = .tone(hertz: 1_000)
    case ("tone", 2):
      guard let hertz = Int(parts[1]), (1...384_000).contains(hertz) else { return nil }
      self = .tone(hertz: hertz)
    case ("silence", 1): self = .silence
    case ("ramp", 1): self = .ramp
    default: return nil
    }
  }
}

extension Waveform {
  /// Writes the samples of a group of channels into the first `frames` frames of `buffer`. The
  /// first of these frames has the number `first`.
  func fill(
    _ buffer: inout MutableRawSpan, from first: FrameCount, frames: Int, _ group: Range<Int>,
    of format: StreamFormat
  ) {
    // A range of `Int`: for a range of `Int64`, unoptimized code allocates in each step.
    let numbers = Int(first.value)..<Int(first.value) + frames
    switch self {
    case .silence: buffer.fillSamples(of: numbers, group, format) { _, _ in 0 }
    case .ramp:
      buffer.fillSamples(of: numbers, group, format) { number, channel in
        Ramp.sample(Int64(number), channel: channel, of: group.count, format.sample)
      }
    case .tone(let hertz):
      let tone = Tone(hertz: hertz, rate: format.rate)
      var latest: (number: Int, bits: UInt64) = (-1, 0)
      buffer.fillSamples(of: numbers, group, format) { number, _ in
        if latest.number != number { latest = (number, tone.sample(Int64(number), format.sample)) }
        return latest.bits
      }
    }
  }
}

extension MutableRawSpan {
  fileprivate mutating func fillSamples(
    of numbers: Range<Int>, _ group: Range<Int>, _ format: StreamFormat,
    _ sample: (Int, Int) -> UInt64
  ) {
    let size = format.sample.bytesPerSample
    var offset = group.lowerBound * size
    for number in numbers {
      for channel in 0..<group.count {
        store(sample(number, channel), bytes: size, at: offset + channel * size)
      }
      offset += format.bytesPerFrame
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

/// A sine whose phase depends only on the frame number, so that it is exact after any time and any
/// gap.
struct Tone {
  let hertz: Int
  let rate: SampleRate

  /// −20 dBFS.
  private static let amplitude = 0.1

  /// Returns the sample of a frame, with its bits in the low bytes. All channels have the same
  /// sample.
  func sample(_ number: Int64, _ format: SampleFormat) -> UInt64 {
    let turn = (number % Int64(rate.hertz)) * Int64(hertz) % Int64(rate.hertz)
    let value = Self.amplitude * sin(2 * .pi * Double(turn) / Double(rate.hertz))
    return switch format {
    case .int16: bits(value, 32_768)
    case .int24Packed, .int24: bits(value, 8_388_608)
    case .int32: bits(value, 2_147_483_648)
    case .float32: UInt64(Float(value).bitPattern)
    case .float64: value.bitPattern
    }
  }

  private func bits(_ value: Double, _ fullScale: Double) -> UInt64 {
    UInt64(UInt32(bitPattern: Int32((value * fullScale).rounded())))
  }
}

/// The encoding of a frame's number in the samples of the frame. Frames are numbered from the start
/// of the device.
///
/// | format | each sample |
/// |---|---|
/// | S32 | the low 32 bits |
/// | S24, S24_3 | the low 24 bits |
/// | S16, mono | the low 16 bits |
/// | S16, more channels | in the first, third … channel bits 0–15, in the second, fourth … bits 16–31 |
/// | FLOAT | the low 24 bits as a signed number, divided by 2²³ |
/// | FLOAT64 | the low 32 bits as a signed number, divided by 2³¹ |
enum Ramp {
  /// Returns the bits of one sample in the low bytes.
  static func sample(
    _ number: Int64, channel: Int, of channels: Int, _ format: SampleFormat
  ) -> UInt64 {
    let bits = UInt32(truncatingIfNeeded: number)
    switch format {
    case .int16: return UInt64(channels > 1 && channel % 2 == 1 ? bits >> 16 : bits & 0xFFFF)
    case .int24Packed: return UInt64(bits & 0xFF_FFFF)
    case .int24: return UInt64(UInt32(bitPattern: signed24(bits)))
    case .int32: return UInt64(bits)
    case .float32: return UInt64((Float(signed24(bits)) / 8_388_608).bitPattern)
    case .float64: return (Double(Int32(bitPattern: bits)) / 2_147_483_648).bitPattern
    }
  }

  private static func signed24(_ bits: UInt32) -> Int32 { Int32(bitPattern: bits << 8) >> 8 }
}
