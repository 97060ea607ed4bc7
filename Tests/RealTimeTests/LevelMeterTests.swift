import Audio
import Foundation
import RealTime
import Testing

@Suite("Level meter")
struct LevelMeterTests {
  /// Returns the levels that a meter reports for frames of 64-bit floats, converted to `format`.
  func measure(
    _ samples: [Double], as format: SampleFormat, _ channels: ChannelCount, block: Int = .max
  ) -> (total: Level, channels: [Level]) {
    var meter = LevelMeter(format, channels: channels)
    let input = converted(bytes(samples), from: .float64, to: format)
    let frame = channels.value * format.bytesPerSample
    var rest = input[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(block == .max ? rest.count : block * frame))
      meter.measure(part.span.bytes)
      rest = rest.dropFirst(part.count)
    }
    var levels = [Level](repeating: .silence, count: channels.value)
    var span = levels.mutableSpan
    let total = meter.take(&span)
    return (total, levels)
  }

  func isNear(_ left: Double, _ right: Double) -> Bool { abs(left - right) < 1e-4 }

  @Test("A sine has the correct peak and power in every format", arguments: SampleFormat.allCases)
  func sine(format: SampleFormat) {
    let samples = (0..<4_800).map { 0.5 * sin(2 * .pi * Double($0) / 48) }
    let level = measure(samples, as: format, .mono).total
    #expect(isNear(level.peak, 0.5))
    #expect(isNear(level.rms, 0.5 / 2.0.squareRoot()))
    #expect(level.clipped == 0)
  }

  @Test("A full-scale square wave is 0 dBFS and clips throughout", arguments: SampleFormat.allCases)
  func square(format: SampleFormat) {
    let samples = (0..<1_000).map { $0 % 2 == 0 ? 1.0 : -1.0 }
    let level = measure(samples, as: format, .mono).total
    #expect(isNear(level.peak, 1))
    #expect(isNear(level.rms, 1))
    #expect(level.clipped == 1_000)
  }

  @Test(
    "Each channel has its own level, for any block size",
    arguments: [1, 2, 3, 5, 6, 8, 16, 17, 32, 300], [1, 7, 100, .max])
  func channels(count: Int, block: Int) throws {
    let channels = try #require(ChannelCount(count))
    let frame = (0..<count).map { Double($0 + 1) / Double(count + 1) }
    let samples = (0..<101).flatMap { $0 % 2 == 0 ? frame : frame.map { -$0 } }
    let levels = measure(samples, as: .float64, channels, block: block)
    for (channel, level) in levels.channels.enumerated() {
      #expect(isNear(level.peak, frame[channel]) && isNear(level.rms, frame[channel]))
    }
    #expect(isNear(levels.total.peak, frame[count - 1]))
  }

  @Test("The lowest and the highest code clip, and their neighbours do not")
  func clipping() {
    var meter = LevelMeter(.int16, channels: .stereo)
    meter.measure(([32_767, 32_766, -32_768, -32_766] as [Int16]).span.bytes)
    var levels: [Level] = [.silence, .silence]
    var span = levels.mutableSpan
    #expect(meter.take(&span).clipped == 2)
    #expect(levels.map(\.clipped) == [2, 0])
    #expect(levels[0].peak == 1)
  }

  @Test(
    "Samples of a file clip equally as integers and as floats",
    arguments: [
      SampleFormat.int16, .int24Packed, .int24, .int32,
    ])
  func ceiling(format: SampleFormat) {
    let bits = min(format.significantBits, 24)
    let step = 1 / Double(1 << (bits - 1))
    let fine = format == .int32 ? 0x1p-31 : step
    // Samples around the limit in steps of the format, and the ends of the range.
    let limit = 1 - step
    let offsets = format == .int32 ? Array(-200...200) : Array(-3...1)
    let samples = offsets.flatMap { offset in
      [limit + Double(offset) * fine, -limit - Double(offset) * fine]
    }
    let integers = converted(bytes(samples), from: .float64, to: format)
    let floats = converted(integers, from: format, to: .float32)
    var plain = LevelMeter(format, channels: .mono)
    var decoded = LevelMeter(
      .float32, channels: .mono, ceiling: Level.ceiling(bits: format.significantBits))
    plain.measure(integers.span.bytes)
    decoded.measure(floats.span.bytes)
    let clipped = plain.take().clipped
    #expect(clipped == decoded.take().clipped)
    // Of the narrow formats, both samples at the limit and both at the end are clipped.
    if format != .int32 { #expect(clipped == 4) }
    #expect(clipped > 0 && clipped < samples.count)
  }

  @Test("NaN and infinity clip and have no level")
  func notANumber() {
    let level = measure([.nan, .infinity, -.infinity, 0.25], as: .float64, .mono).total
    #expect(level == Level(peak: 0.25, rms: 0.125, clipped: 3))
  }

  @Test("A meter is reset when it is read, and is silent before it measures")
  func take() {
    var meter = LevelMeter(.float32, channels: .mono)
    #expect(meter.take() == .silence)
    meter.measure(([0.5, 0.5] as [Float]).span.bytes)
    #expect(meter.take() == Level(peak: 0.5, rms: 0.5, clipped: 0))
    #expect(meter.take() == .silence)
    meter.measure(([0.25] as [Float]).span.bytes)
    #expect(meter.take() == Level(peak: 0.25, rms: 0.25, clipped: 0))
  }
}
