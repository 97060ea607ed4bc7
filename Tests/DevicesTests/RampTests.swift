import Audio
import Testing

@testable import Devices

@Suite("The ramp")
struct RampTests {
  @Test(
    "writes the number of a frame into each sample",
    arguments: [
      (SampleFormat.int16, 1, 0x12345, [0x2345]), (.int16, 2, 0x1234_5678, [0x5678, 0x1234]),
      (.int16, 3, 0x1234_5678, [0x5678, 0x1234, 0x5678]),
      (.int16, 2, 0x1_0000_0001, [0x0001, 0x0000]),
      (.int24Packed, 2, 0x01FF_FFFE, [0xFFFFFE, 0xFFFFFE]),
      (.int24, 1, 0x0080_0000, [0xFF80_0000]), (.int24, 1, 0x007F_FFFF, [0x007F_FFFF]),
      (.int32, 1, 0xFEDC_BA98, [0xFEDC_BA98]), (.int32, 2, 0x1_0000_0002, [2, 2]),
      (.float32, 1, 0x0040_0000, [UInt64(Float(0.5).bitPattern)]),
      (.float32, 1, 0x0080_0000, [UInt64(Float(-1).bitPattern)]),
      (.float64, 1, 0x4000_0000, [Double(0.5).bitPattern]),
      (.float64, 1, 0x8000_0000, [Double(-1).bitPattern]),
    ] as [(SampleFormat, Int, Int64, [UInt64])])
  func sample(format: SampleFormat, channels: Int, number: Int64, expected: [UInt64]) {
    let samples = (0..<channels).map {
      Ramp.sample(number, channel: $0, of: channels, format)
    }
    #expect(samples == expected)
  }

  @Test("is little-endian in memory, in every format", arguments: SampleFormat.allCases)
  func memory(format: SampleFormat) {
    let stream = StreamFormat(rate: .hz48000, channels: .stereo, sample: format)
    let size = format.bytesPerSample
    var bytes = [UInt8](repeating: 0xEE, count: 3 * stream.bytesPerFrame + 1)
    var span = bytes.mutableSpan
    var raw = span.mutableBytes
    Waveform.ramp.fill(&raw, from: 0x1_2345, frames: 3, 0..<2, of: stream)
    for frame in 0..<3 {
      for channel in 0..<2 {
        let start = frame * stream.bytesPerFrame + channel * size
        let read = bytes[start..<start + size].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let number = Int64(0x1_2345 + frame)
        #expect(read == Ramp.sample(number, channel: channel, of: 2, format))
      }
    }
    #expect(bytes.last == 0xEE)
  }
}
