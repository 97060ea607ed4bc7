internal import Audio

/// The encoding of a frame's own number in its samples, counted from the start of the device.
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
  /// The bits of one sample, in the low bytes.
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
