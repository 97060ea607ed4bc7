internal import Audio
internal import Glibc

/// A sine whose phase follows from the frame's number alone, so that it is exact after any time and any gap.
struct Tone {
  let hertz: Int
  let rate: SampleRate

  /// −20 dBFS.
  static let amplitude = 0.1

  /// The bits of a frame's samples, the same in each channel, in the low bytes.
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
