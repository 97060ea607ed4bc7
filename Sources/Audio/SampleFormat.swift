/// The layout of one sample in memory: little-endian, signed, interleaved by frames.
package enum SampleFormat: String, Hashable, CaseIterable, Sendable {
  /// 16 bits in two bytes; ALSA's `S16_LE`.
  case int16 = "S16"
  /// 24 bits in three bytes; ALSA's `S24_3LE`.
  case int24Packed = "S24_3"
  /// 24 bits in the low three bytes of four; ALSA's `S24_LE`.
  case int24 = "S24"
  /// 32 bits in four bytes; ALSA's `S32_LE`.
  case int32 = "S32"
  /// −1 to 1 in four bytes; ALSA's `FLOAT_LE`.
  case float32 = "FLOAT"
  /// −1 to 1 in eight bytes; ALSA's `FLOAT64_LE`.
  case float64 = "FLOAT64"

  /// The bytes that one sample takes.
  package var bytesPerSample: Int {
    switch self {
    case .int16: 2
    case .int24Packed: 3
    case .int24, .int32, .float32: 4
    case .float64: 8
    }
  }

  /// The bits of a sample that carry sound: 24 for `float32`, its significand.
  package var significantBits: Int {
    switch self {
    case .int16: 16
    case .int24Packed, .int24, .float32: 24
    case .int32: 32
    case .float64: 53
    }
  }

  /// True where samples are floating-point numbers.
  package var isFloat: Bool { self == .float32 || self == .float64 }
}

extension SampleFormat: CustomStringConvertible {
  /// The raw value, such as `S24_3`.
  package var description: String { rawValue }
}
