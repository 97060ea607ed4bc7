import Audio
import RealTime
import Testing

@Suite("Conversion of samples")
struct SampleConversionTests {
  static let every16 = bytes((Int16.min...Int16.max).map { $0 })

  @Test(
    "Every 16-bit sample comes back from every format that holds it",
    arguments: SampleFormat.allCases, [false, true])
  func everyInt16(through format: SampleFormat, isOdd: Bool) {
    let there = converted(Self.every16, from: .int16, to: format, isOdd: isOdd)
    #expect(converted(there, from: format, to: .int16, isOdd: isOdd) == Self.every16)
  }

  @Test("Every 16-bit sample is unchanged after conversion through all formats")
  func chain() {
    let way: [SampleFormat] = [.int16, .int24, .float32, .int24Packed, .int32, .float64, .int16]
    var samples = Self.every16
    for (source, target) in zip(way, way.dropFirst()) {
      samples = converted(samples, from: source, to: target)
    }
    #expect(samples == Self.every16)
  }

  static let edges24: [Int32] =
    [0, 1, -1, 127, 128, 255, 256, 32_767, -32_768, 65_535, 8_388_607, -8_388_607, -8_388_608]
    + (0..<4_096).map { $0 * 4_093 - 8_388_608 + $0 % 3 }

  @Test(
    "24-bit samples come back from every format that holds them",
    arguments: [SampleFormat.int24Packed, .int24, .int32, .float32, .float64])
  func int24(through format: SampleFormat) {
    let samples = bytes(Self.edges24)
    let there = converted(samples, from: .int24, to: format)
    #expect(converted(there, from: format, to: .int24) == samples)
  }

  @Test("32-bit samples are unchanged after conversion to 64-bit floats and back")
  func int32() {
    let edges: [Int32] = [
      0, 1, -1, .max, .max - 1, .min, .min + 1, 255, 256, -257, 1 << 24, 3 << 29,
    ]
    let samples = bytes(edges + (0..<4_096).map { .min &+ $0 &* 1_048_573 })
    let there = converted(samples, from: .int32, to: .float64)
    #expect(converted(there, from: .float64, to: .int32) == samples)
  }

  @Test(
    "The top byte of a 24-bit sample in four bytes is ignored",
    arguments: [
      (0x0000_0001 as UInt32, 1 as Int32), (0xAB00_0001, 1), (0xFFFF_FFFF, -1), (0x00FF_FFFF, -1),
      (0x007F_FFFF, 8_388_607), (0xFF7F_FFFF, 8_388_607), (0x0080_0000, -8_388_608),
    ])
  func topByte(word: UInt32, sample: Int32) {
    #expect(values(converted(bytes([word]), from: .int24, to: .int32)) == [sample << 8])
    let packed = converted(bytes([word]), from: .int24, to: .int24Packed)
    #expect(values(converted(packed, from: .int24Packed, to: .int24)) == [sample])
  }

  static let floats: [(Double, Int16)] = [
    (0, 0), (-0.0, 0), (1, 32_767), (-1, -32_768), (0.5, 16_384), (-0.5, -16_384), (2, 32_767),
    (-2, -32_768), (1e300, 32_767), (-1e300, -32_768), (.infinity, 32_767), (-.infinity, -32_768),
    (.nan, 0), (-.nan, 0), (.leastNonzeroMagnitude, 0), (32_767 / 32_768, 32_767),
    (1.5 / 32_768, 2), (2.5 / 32_768, 2), (-1.5 / 32_768, -2), (0.49 / 32_768, 0),
    (0.51 / 32_768, 1), (32_767.4 / 32_768, 32_767), (-32_768.4 / 32_768, -32_768),
  ]

  @Test("A float rounds to the nearest code and saturates", arguments: floats)
  func floatToInt16(sample: Double, code: Int16) {
    #expect(values(converted(bytes([sample]), from: .float64, to: .int16)) == [code])
  }

  @Test("32-bit floats saturate in every integer format, and NaN becomes 0")
  func saturation() {
    let loud = bytes([1, -1, 9, -9, .infinity, -.infinity, .nan] as [Float])
    let expected: [(SampleFormat, Int32)] = [(.int24, 8_388_607), (.int32, .max)]
    for (format, top) in expected {
      let codes: [Int32] = values(converted(loud, from: .float32, to: format))
      #expect(codes == [top, -top - 1, top, -top - 1, top, -top - 1, 0])
    }
    let packed = converted(loud, from: .float32, to: .int24Packed)
    #expect(Array(packed[..<6]) == [0xFF, 0xFF, 0x7F, 0x00, 0x00, 0x80])
  }

  @Test("A float format keeps values above full scale")
  func floatToFloat() {
    let samples: [Float] = values(
      converted(bytes([3, -3, .infinity, .nan] as [Double]), from: .float64, to: .float32))
    #expect(samples[..<3] == [3, -3, .infinity])
    #expect(samples[3].isNaN)
  }

  @Test("Equal formats copy every bit", arguments: SampleFormat.allCases)
  func copies(format: SampleFormat) {
    let noise = (0..<24 * 11).map { UInt8(truncatingIfNeeded: $0 * 37 ^ $0 >> 3) }
    #expect(converted(noise, from: format, to: format) == noise)
  }

  @Test("The result of a block does not depend on its division")
  func blocks() {
    let all = converted(Self.every16, from: .int16, to: .float32)
    let parts = stride(from: 0, to: Self.every16.count, by: 514).flatMap { start in
      let end = min(start + 514, Self.every16.count)
      return converted(Array(Self.every16[start..<end]), from: .int16, to: .float32)
    }
    #expect(parts == all)
  }

  @Test("Floats are read and written as floats")
  func floatSpans() {
    let samples: [Int16] = [0, 1, -1, 32_767, -32_768]
    var floats = [Float](repeating: 9, count: 5)
    var floatSpan = floats.mutableSpan
    SampleConversion(from: .int16, to: .float32).convert(samples.span.bytes, into: &floatSpan)
    #expect(floats == samples.map { Float($0) / 32_768 })

    var codes = [Int32](repeating: 9, count: 5)
    var codeSpan = codes.mutableSpan
    var room = codeSpan.mutableBytes
    var dither = Dither(seed: 1)
    SampleConversion(from: .float32, to: .int24)
      .convert(floats.span, into: &room, dithering: &dither)
    #expect(codes == samples.map { Int32($0) << 8 })
  }

  @Test("Bytes that do not fit, and incomplete samples, are a programming error")
  func misuse() async {
    await #expect(processExitsWith: .failure) {
      var small: [UInt8] = [0, 0, 0]
      var span = small.mutableSpan
      var room = span.mutableBytes
      SampleConversion(from: .int16, to: .int32).convert([0, 0].span.bytes, into: &room)
    }
    await #expect(processExitsWith: .failure) {
      _ = converted([0, 0, 0], from: .int16, to: .int16)
    }
  }
}
