import Analysis
import Audio
import Decoding
import Files
import Foundation
import Linux
import Support
import Testing

@testable import Exports

@Suite("The limiter")
struct LimiterTests {
  private func noise(_ frames: Int, channels: Int) -> [Float] {
    var state: UInt64 = 7
    return (0..<(frames * channels)).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(Int32(truncatingIfNeeded: state >> 32)) / Float(Int32.max)
    }
  }

  private func limited(
    _ samples: [Float], _ rate: SampleRate, _ channels: ChannelCount, blocks: Int
  ) -> [Float] {
    var limiter = PeakLimiter(rate: rate, channels: channels, ceiling: 0.5)
    var output: [Float] = []
    let all = samples + [Float](repeating: 0, count: limiter.delay * channels.value)
    for first in stride(from: 0, to: all.count, by: blocks * channels.value) {
      var block = Array(all[first..<min(first + blocks * channels.value, all.count)])
      limiter.process(&block)
      output += block
    }
    return Array(output.dropFirst(limiter.delay * channels.value))
  }

  @Test("No inter-sample peak exceeds the ceiling", arguments: [44_100, 48_000, 96_000, 192_000])
  func ceiling(hertz: Int) throws {
    let rate = try #require(SampleRate(hertz))
    let output = limited(noise(30_000, channels: 2), rate, .stereo, blocks: 4_096)
    #expect(output.count == 60_000)
    var meter = TruePeakMeter(rate: rate, channels: .stereo)
    meter.measure(output.span)
    let peak = meter.take()
    #expect(peak <= 0.5 * 1.012 && peak > 0.4, "\(20 * log10(peak / 0.5)) dB")
  }

  @Test("Samples below the ceiling are unchanged, in blocks of any size")
  func untouched() {
    let quiet = noise(9_000, channels: 2).map { $0 * 0.15 }
    for blocks in [1, 7, 1_024, 5_000] {
      #expect(limited(quiet, .hz48000, .stereo, blocks: blocks) == quiet)
    }
  }

  @Test("The gain is the same for all channels, and recovers within a second")
  func recovery() {
    var samples = [Float](repeating: 0.4, count: 2 * 96_000)
    samples[2 * 10_000] = 1.0
    let output = limited(samples, .hz48000, .stereo, blocks: 777)
    for frame in 0..<96_000 where frame != 10_000 {
      #expect(output[2 * frame] == output[2 * frame + 1])
    }
    #expect(abs(output[2 * 60_000] - 0.4) < 0.001 && output[2 * 10_000 + 1] < 0.25)
    #expect(output[2 * 9_000] == 0.4)
  }
}

@Suite("The steps of normalizing")
struct NormalizingStepTests {
  private func levels(_ loudness: Double, peak: Double) -> SoundLevels {
    var levels = SoundLevels()
    levels.loudness = MeasuredLoudness(integrated: loudness, range: 0)
    levels.truePeak = pow(10, peak / 20)
    return levels
  }

  /// Repeats the steps until a file is accepted, at most `most` times. Returns the last step and
  /// the number of steps. `file` returns the loudness and the peak of the file that a step
  /// produces.
  private func steps(
    from first: SoundLevels, most: Int, _ file: (Normalizing) -> (loudness: Double, peak: Double)
  ) throws -> (step: Normalizing, count: Int) {
    var step = try Normalizing(to: -16, from: first, isLossy: true)
    for count in 1...most {
      let (loudness, peak) = file(step)
      if step.accepts(levels(loudness, peak: peak)) { return (step, count) }
    }
    return (step, most + 1)
  }

  @Test(
    "Where a limiter takes most of each decibel, few steps are enough", arguments: [1, 0.7, 0.4])
  func slope(slope: Double) throws {
    let (_, count) = try steps(from: levels(-26, peak: -2), most: 5) { step in
      (-18 + (step.gain - 8) * slope, -1.2)
    }
    #expect(count <= 4)
  }

  @Test("If the limiter did not act, its next ceiling is computed from the known peak")
  func reach() throws {
    // The encoder makes every peak 3 dB higher.
    let (step, count) = try steps(from: levels(-16, peak: -2.6), most: 3) { step in
      (-16, min(step.limit, -2.6 + step.gain) + 3)
    }
    #expect(count == 2 && abs(step.limit - -4.1) < 0.1, "\(step.limit)")
  }

  @Test("The nearest step with low peaks is kept")
  func best() throws {
    var step = try Normalizing(to: -16, from: levels(-20, peak: -10), isLossy: true)
    var changes: [LevelChange] = []
    for (loudness, peak) in [(-18.0, -2.0), (-16.5, -1.5), (-17, -1.2), (-16, 0.5)] {
      changes.append(step.change)
      let isAccepted = step.accepts(levels(loudness, peak: peak))
      #expect(!isAccepted)
    }
    step.restoreBest()
    #expect(step.change == changes[1])
  }

  @Test("If no step has low peaks, the last one becomes quieter")
  func quieter() throws {
    var step = try Normalizing(to: -16, from: levels(-20, peak: -10), isLossy: true)
    let isAccepted = step.accepts(levels(-16, peak: 2))
    #expect(!isAccepted)
    let gain = step.gain
    step.restoreBest()
    #expect(step.gain < gain)
  }
}

@Suite("The loudness of a normalized export")
final class NormalizedExportTests {
  private let scratch: ScratchDirectory
  private var noted: [SoundLevels] = []
  private let source = ExportSource(
    rate: .hz48000, channels: .mono, sample: .int16, frames: 96_000)

  init() throws {
    scratch = try ScratchDirectory()
    let stream = StreamFormat(rate: .hz48000, channels: .mono, sample: .int16)
    let file = try Descriptor(
      opening: scratch.path("a.wav"), [.readWrite, .create, .exclusive])
    var writer = try SoundFileWriter(
      file, named: "a.wav", SoundFileSettings(format: .wav, stream: stream))
    // -26 dBFS. At -16 LUFS no limiter is needed.
    let step = 2 * Double.pi * 997 / 48_000
    let samples = (0..<96_000).map { Int16(1_640 * sin(Double($0) * step)) }
    try writer.write(samples.span.bytes, of: .int16)
    try writer.close()
  }

  /// Exports at -16 LUFS and returns the loudness of the file.
  private func loudness(
    of name: String, from: Duration? = nil, known: SoundLevels?
  ) throws -> Double {
    noted = []
    let file = try OpenFile(Descriptor(opening: scratch.path("a.wav")))
    var export = Export(
      of: source, in: file,
      by: { file, order, first in
        try LocalDecoder(file, order, from: first)
      }, progress: { _ in })
    export.known = known
    export.note = { self.noted.append($0) }
    var plan = ExportPlan(
      name.hasSuffix("opus") ? .opus : name.hasSuffix("flac") ? .flac : .wav)
    (plan.loudness, plan.from) = (-16, from)
    let files = try export.run(plan, to: .file(scratch.path(name))).files
    return try #require(files.first?.loudness)
  }

  /// Returns the levels that an export measured, with an error that is too small for a correction.
  private func shifted(_ levels: SoundLevels) -> SoundLevels {
    var levels = levels
    levels.loudness?.integrated += 0.03
    return levels
  }

  @Test("An export uses the levels that an earlier one measured")
  func known() throws {
    let first = try loudness(of: "b.wav", known: nil)
    let levels = try #require(noted.first)
    #expect(abs(first + 16) <= 0.04, "\(first)")
    #expect(noted.count == 1 && abs((levels.loudness?.integrated ?? 0) + 29) < 1)
    let again = try loudness(of: "c.wav", known: shifted(levels))
    #expect(abs(again - (first - 0.03)) < 0.01 && noted.isEmpty, "\(first), \(again)")
  }

  @Test("Levels of the whole source are not used for a part of it, nor for Opus, which is lossy")
  func others() throws {
    _ = try loudness(of: "a.flac", known: nil)
    let levels = try #require(noted.first)
    let cases: [(String, Duration?)] = [("b.wav", .milliseconds(500)), ("c.opus", nil)]
    for (name, from) in cases {
      let expected = try loudness(of: "1" + name, from: from, known: nil)
      let found = try loudness(of: "2" + name, from: from, known: shifted(levels))
      #expect(abs(found - expected) < 0.01 && noted.isEmpty, "\(name): \(found), \(expected)")
      #expect(abs(found + 16) <= 0.04, "\(name): \(found)")
    }
  }

  @Test("A stored loudness that is wrong is corrected by the check of the file")
  func wrong() throws {
    var levels = SoundLevels()
    levels.loudness = MeasuredLoudness(integrated: -33, range: 0)
    levels.truePeak = 0.04
    let loudness = try loudness(of: "b.wav", known: levels)
    #expect(abs(loudness + 16) <= 0.04, "\(loudness)")
  }
}
