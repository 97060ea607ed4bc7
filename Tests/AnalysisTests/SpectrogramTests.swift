import Audio
import Foundation
import Testing

@testable import Analysis

@Suite("The frequencies of a sound")
struct SpectrogramTests {
  @Test(
    "The transform is that of the definition", arguments: [16, 32, 64, 128, 512, 2_048])
  func definition(count: Int) {
    var generator = SystemRandomNumberGenerator()
    let first = (0..<count).map { _ in Float.random(in: -1...1, using: &generator) }
    let second = (0..<count).map { _ in Float.random(in: -1...1, using: &generator) }
    let window = [Float](repeating: 1, count: count)
    var powers = [Float](repeating: 0, count: count)
    var fourier = Fourier(count)
    fourier.load(first, second, by: window)
    fourier.addPowers(to: &powers)
    for index in [0, 1, 2, 5, count / 4, count / 2, count - 1] {
      var (real, imaginary) = (0.0, 0.0)
      for time in 0..<count {
        let angle = -2 * Double.pi * Double(index * time % count) / Double(count)
        let (x, y) = (Double(first[time]), Double(second[time]))
        real += x * cos(angle) - y * sin(angle)
        imaginary += x * sin(angle) + y * cos(angle)
      }
      let power = real * real + imaginary * imaginary
      #expect(abs(Double(powers[index]) - power) < 1e-3 * (power + 1), "\(index)")
    }
  }

  private func spectrogram(
    _ samples: [Float], columns: Int, rows: Int, channels: ChannelCount = .mono,
    rate: SampleRate = .hz48000, block: Int = SpectrumTally.block
  ) throws -> Spectrogram {
    let frames = samples.count / channels.value
    let order = PictureOrder(columns: columns, rows: rows, of: 0..<FrameCount(frames))
    var tally = SpectrumTally(order, rate: rate, channels: channels)
    for first in stride(from: 0, to: samples.count, by: block * channels.value) {
      let part = Array(samples[first..<min(first + block * channels.value, samples.count)])
      tally.add(part.span.bytes, of: .float32)
    }
    let picture = tally.finish()
    return try #require(picture)
  }

  private func tone(_ hertz: Double, amplitude: Double, seconds: Double, rate: Double = 48_000)
    -> [Float]
  {
    (0..<Int(seconds * rate)).map {
      Float(amplitude * sin(2 * .pi * hertz * Double($0) / rate))
    }
  }

  @Test(
    "A tone has its level in its row, and little elsewhere",
    arguments: [(100.0, 1.0), (1_040, 0.5), (9_000, 0.01), (20_000, 1)])
  func tone(hertz: Double, amplitude: Double) throws {
    let picture = try spectrogram(
      tone(hertz, amplitude: amplitude, seconds: 0.5), columns: 4, rows: 40)
    let row = Int(Spectrogram.row(of: hertz, among: 40, at: .hz48000))
    let level = picture.level(column: 2, row: row)
    // Between two bins of a Hann window, the level is at most 1.42 dB too low.
    #expect(abs(level - 20 * log10(amplitude)) <= 2, "\(level)")
    for other in 0..<40 where abs(other - row) > 4 {
      #expect(picture.level(column: 2, row: other) < level - 50)
    }
  }

  @Test("Both channels count, and opposite signals do not cancel each other")
  func channels() throws {
    let tone = tone(1_000, amplitude: 1, seconds: 0.3)
    let opposite: [Float] = tone.flatMap { (sample: Float) -> [Float] in [sample, -sample] }
    let left: [Float] = tone.flatMap { (sample: Float) -> [Float] in [sample, 0] }
    let three: [Float] = tone.flatMap { (sample: Float) -> [Float] in [0, 0, sample] }
    let row = Int(Spectrogram.row(of: 1_000, among: 40, at: .hz48000))
    let mixes: [([Float], ChannelCount)] = [
      (opposite, .stereo), (left, .stereo), (three, try #require(ChannelCount(3))),
    ]
    var levels: [Double] = []
    for (samples, channels) in mixes {
      let picture = try spectrogram(samples, columns: 2, rows: 40, channels: channels)
      levels.append(picture.level(column: 1, row: row))
    }
    let alone = try spectrogram(tone, columns: 2, rows: 40).level(column: 1, row: row)
    for (level, expected) in zip(levels, [0, -3, -4.75]) {
      #expect(abs(level - alone - expected) <= 0.6, "\(levels), alone \(alone)")
    }
  }

  @Test("The picture does not depend on the block size", arguments: [1, 63, 1_000, 4_096])
  func blocks(size: Int) throws {
    var generator = SystemRandomNumberGenerator()
    let noise = (0..<20_000).map { _ in Float.random(in: -0.5...0.5, using: &generator) }
    let whole = try spectrogram(noise, columns: 7, rows: 20)
    #expect(try spectrogram(noise, columns: 7, rows: 20, block: size) == whole)
  }

  @Test(
    "It has a column for each stretch, and never more than frames",
    arguments: [(0, 0), (1, 1), (5, 5), (3_000, 9)])
  func lengths(frames: Int, columns: Int) throws {
    let samples = [Float](repeating: 0.5, count: frames)
    let picture = try spectrogram(samples, columns: 9, rows: 3)
    #expect(picture.columns == columns)
  }

  @Test("A click has the same level in a long column as in a short one", arguments: [1, 10])
  func loudest(columns: Int) throws {
    let rate = try #require(SampleRate(8_000))
    var samples = [Float](repeating: 0, count: 80_000)
    samples[35_000] = 1
    let picture = try spectrogram(samples, columns: columns, rows: 4, rate: rate)
    // The click has -36 dBFS in the middle of a window of 256 frames. A quarter of the window away
    // from the middle, it has half of that.
    let levels = (0..<4).map { picture.level(column: columns == 1 ? 0 : 4, row: $0) }
    #expect(levels.allSatisfy { (-42.5 ... -35.5).contains($0) }, "\(levels)")
  }

  @Test(
    "A click is in its column only, at every rate", arguments: [8_000, 44_100, 192_000])
  func click(hertz: Int) throws {
    let rate = try #require(SampleRate(hertz))
    var samples = [Float](repeating: 0, count: 2 * hertz)
    samples[hertz + hertz / 10] = 1
    let picture = try spectrogram(samples, columns: 10, rows: 10, rate: rate)
    for column in 0..<10 {
      let isDark = (0..<10).allSatisfy {
        picture.level(column: column, row: $0) == Spectrogram.floor
      }
      #expect(isDark == (column != 5), "\(column)")
    }
  }

  @Test("Samples that are not numbers have no level")
  func noNumbers() throws {
    let samples: [Float] = [.nan, .infinity, -.infinity] + [Float](repeating: 0, count: 5_000)
    let picture = try spectrogram(samples, columns: 2, rows: 4)
    #expect(picture.cells.allSatisfy { $0 == 0 })
  }

  @Test("Converting a row to a frequency and back gives the same row")
  func scale() {
    for row in [0.0, 1, 7.5, 40] {
      let hertz = Spectrogram.frequency(ofRow: row, among: 40, at: .hz48000)
      #expect(abs(Spectrogram.row(of: hertz, among: 40, at: .hz48000) - row) < 1e-9)
    }
    #expect(abs(Spectrogram.frequency(ofRow: 40, among: 40, at: .hz48000) - 24_000) < 1e-6)
  }
}
