import Audio
import Foundation
import Support
import Testing

@testable import Analysis

@Suite("Levels and loudness")
struct MeasurementTests {
  private static func sine(
    _ hertz: Double, amplitude: Double, phase: Double = 0, seconds: Double = 2, channels: Int = 2,
    rate: Double = 48_000
  ) -> [Float] {
    (0..<Int(seconds * rate)).flatMap { frame in
      let value = Float(amplitude * sin(2 * .pi * hertz * Double(frame) / rate + phase))
      return [Float](repeating: value, count: channels)
    }
  }

  private func levels(
    _ samples: [Float], channels: ChannelCount, rate: SampleRate = .hz48000, ofTracks: Bool = false
  ) throws -> SoundLevels {
    let measurement = try SoundMeasurement(
      StreamFormat(rate: rate, channels: channels, sample: .float32), ofTracks: ofTracks)
    var rest = samples[...]
    var size = 1
    while !rest.isEmpty {
      let count = min(rest.count, size * channels.value)
      try measurement.add(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
      size = size * 7 % 20_011
    }
    return measurement.finish()
  }

  @Test(
    "Between the samples of a tone its peak is found",
    arguments: [12_000.0, 6_000, 997, 15_000, 19_500], [44_100, 48_000, 96_000])
  func truePeak(hertz: Double, rate: Int) throws {
    var meter = TruePeakMeter(rate: try #require(SampleRate(rate)), channels: .mono)
    // The tone fades in and out, because an abrupt start adds other frequencies.
    var samples = Self.sine(
      hertz, amplitude: 0.5, phase: .pi / 4, seconds: 0.25, channels: 1, rate: Double(rate))
    for index in 0..<2_000 {
      samples[index] *= Float(index) / 2_000
      samples[samples.count - 1 - index] *= Float(index) / 2_000
    }
    meter.measure(samples.span)
    let error = 20 * log10(meter.take() / 0.5)
    // The meter has four points per sample. In a wave of 2.5 samples, the nearest point is at most
    // this far below the peak.
    #expect(error < 0.05 && error > -0.5, "\(error)")
    if hertz == 12_000, rate == 48_000 { #expect(abs(error) < 0.01) }
  }

  @Test("A peak does not depend on the block size, and silence has none")
  func blocks() {
    let samples = Self.sine(15_123, amplitude: 0.7, phase: 1, seconds: 0.2)
    var whole = TruePeakMeter(rate: .hz48000, channels: .stereo)
    whole.measure(samples.span)
    let peak = whole.take()
    #expect(whole.take() == 0)
    for size in [1, 2, 7, 31, 1_023, 1_025] {
      var meter = TruePeakMeter(rate: .hz48000, channels: .stereo)
      for first in stride(from: 0, to: samples.count, by: 2 * size) {
        let end = min(first + 2 * size, samples.count)
        meter.measure(Array(samples[first..<end]).span)
      }
      #expect(abs(meter.take() - peak) < 1e-6)
    }
  }

  @Test("A tone of -23 dBFS in both channels is -23 LUFS, without a range")
  func tone() throws {
    let amplitude = pow(10, -23.0 / 20)
    let levels = try levels(Self.sine(997, amplitude: amplitude, seconds: 4), channels: .stereo)
    let loudness = try #require(levels.loudness)
    #expect(abs(loudness.integrated + 23) < 0.05 && loudness.range < 0.1)
    #expect(abs(levels.level.peak - amplitude) < 1e-4 && levels.silence == 0)
    #expect(abs(levels.offset) < 1e-4)
  }

  @Test("The channels of several tracks count alike", arguments: sampled(0..<6, 2))
  func tracks(channel: Int) throws {
    let tone = Self.sine(997, amplitude: pow(10, -20.0 / 20), channels: 1).flatMap { value in
      (0..<6).map { $0 == channel ? value : 0 }
    }
    let channels = try #require(ChannelCount(6))
    let loudness = try levels(tone, channels: channels, ofTracks: true).loudness
    #expect(abs(try #require(loudness).integrated + 23) < 0.1)
  }

  @Test("Two tones that are 10 dB apart have a range of 10 LU")
  func range() throws {
    let tones = [-20.0, -30.0].flatMap {
      Self.sine(997, amplitude: pow(10, $0 / 20), seconds: 20, channels: 1, rate: 8_000)
    }
    let rate = try #require(SampleRate(8_000))
    let loudness = try levels(tones, channels: .mono, rate: rate).loudness
    #expect(abs(try #require(loudness).range - 10) < 1)
  }

  @Test("Silence and an offset of one channel are detected")
  func offset() throws {
    let silence = [Float](repeating: 0, count: 2 * 96_000)
    let shifted = (0..<96_000).flatMap { _ in [Float(0), Float(-0.01)] }
    let levels = try levels(silence + shifted, channels: .stereo)
    #expect(abs(levels.silence - 0.5) < 0.001 && abs(levels.offset + 0.005) < 1e-6)
    let nothing = try self.levels([], channels: .mono)
    #expect(nothing.truePeak == 0 && nothing.loudness?.integrated == -.infinity)
  }
}
