import Audio
import Testing

@testable import Files

@Suite("A conversion of samples")
struct LibrarySamplesTests {
  @Test("Floats are rounded to the nearest step and held at full scale")
  func floats() {
    let values: [Float] = [
      0, 1, -1, 2, -2, 0.5 / 32_768, 1.5 / 32_768, -0.6 / 32_768, .nan, .infinity,
    ]
    let expected: [Int32] = [0, 32_767, -32_768, 32_767, -32_768, 0, 2, -1, 0, 32_767]
    #expect(
      integers(values.span.bytes, of: .float32, bits: 16, count: 10) == expected.map { $0 << 16 })
  }

  @Test("Every 16-bit sample survives a way through floats")
  func exact() {
    let all = (-32_768...32_767).map { Int16($0) }
    var floats = [Float](repeating: 0, count: all.count)
    LibrarySamples(source: .int16, bits: 24).floats(all.span.bytes, all.count, into: &floats)
    let back = integers(floats.span.bytes, of: .float32, bits: 16, count: all.count)
    #expect(back.map { Int16($0 >> 16) } == all)
  }

  @Test("Wider integers are rounded, not cut")
  func narrow() {
    let values: [Int32] = [0x7FFF, 0x8000, -0x8000, -0x8001, .max, .min]
    let expected: [Int32] = [0, 1, 0, -1, 32_767, -32_768]
    #expect(
      integers(values.span.bytes, of: .int32, bits: 16, count: 6) == expected.map { $0 << 16 })
  }

  @Test("24 bits in three bytes and in four are the same")
  func packed() {
    let three: [UInt8] = [0x01, 0x02, 0x83, 0xFF, 0xFF, 0x7F]
    let four: [UInt8] = [0x01, 0x02, 0x83, 0x55, 0xFF, 0xFF, 0x7F, 0xAA]
    let expected = [Int32(bitPattern: 0x8302_0100), 0x7FFF_FF00]
    #expect(integers(three.span.bytes, of: .int24Packed, bits: 24, count: 2) == expected)
    #expect(integers(four.span.bytes, of: .int24, bits: 24, count: 2) == expected)
  }

  private func integers(
    _ bytes: RawSpan, of source: SampleFormat, bits: Int, count: Int
  ) -> [Int32] {
    var output = [Int32](repeating: 0, count: count)
    LibrarySamples(source: source, bits: bits).integers(bytes, count, into: &output)
    return output
  }
}
