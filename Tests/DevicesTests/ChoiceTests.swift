import Audio
import Testing

@testable import Devices

@Suite("The choice among the capabilities of a device")
struct ChoiceTests {
  @Test(
    "takes the least that is not below the wish, or else the most",
    arguments: [
      (48_000, [44_100, 48_000, 96_000], 48_000), (8_000, [16_000, 48_000, 96_000], 16_000),
      (192_000, [16_000, 96_000], 96_000), (44_100, [48_000, 32_000], 48_000), (2, [1], 1),
      (2, [8, 6], 6), (3, [1, 2, 4], 4),
    ])
  func nearest(wish: Int, able: [Int], expected: Int) {
    #expect(NearestChoice.nearest(to: wish, in: able) == expected)
  }

  @Test("has no result if the device supports nothing")
  func nothing() {
    #expect(NearestChoice.nearest(to: 1, in: [Int]()) == nil)
    #expect(NearestChoice.nearest(to: .int16, in: []) == nil)
  }

  @Test(
    "keeps all bits of a sample if any of the formats can",
    arguments: [
      (SampleFormat.int16, [SampleFormat.int32, .int16], SampleFormat.int16),
      (.int16, [.float32, .int32, .int24], .int24), (.int16, [.int24, .int24Packed], .int24Packed),
      (.int16, [.float32, .int32], .float32), (.int24, [.float32, .int24Packed], .int24Packed),
      (.int24, [.int16, .int32], .int32), (.int32, [.int16, .int24, .float32], .float32),
      (.float64, [.int16, .int32], .int32),
    ])
  func samples(wish: SampleFormat, able: [SampleFormat], expected: SampleFormat) {
    #expect(NearestChoice.nearest(to: wish, in: able) == expected)
  }

  @Test(
    "of a buffer is the largest up to 2 s, and of a period 100 ms or a quarter of it",
    arguments: [
      (DeviceRequest(), 1_000_000, 4_800, 96_000), (DeviceRequest(), 48_000, 4_800, 48_000),
      (DeviceRequest(), 8_192, 2_048, 8_192), (DeviceRequest(), 2, 1, 2),
      (DeviceRequest(period: .milliseconds(10)), 1_000_000, 480, 96_000),
      (DeviceRequest(buffer: .seconds(5)), 1_000_000, 4_800, 240_000),
      (DeviceRequest(buffer: .milliseconds(20)), 1_000_000, 240, 960),
      (DeviceRequest(period: .seconds(9), buffer: .seconds(1)), 1_000_000, 24_000, 48_000),
      (DeviceRequest(period: .zero, buffer: .zero), 1_000_000, 1, 2),
    ])
  func buffering(request: DeviceRequest, largest: Int, period: Int, buffer: Int) {
    let choice = NearestChoice.buffering(for: request, at: .hz48000, largest: FrameCount(largest))
    #expect(choice.period == FrameCount(period))
    #expect(choice.buffer == FrameCount(buffer))
  }
}
