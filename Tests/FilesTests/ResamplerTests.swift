import Audio
import Files
import Foundation
import Support
import Testing

@Suite("A resampler")
struct ResamplerTests {
  static let ways = [(44_100, 48_000), (48_000, 16_000), (48_000, 44_100), (16_000, 48_000)]

  @Test("A tone is still a tone: everything else is below −120 dB", arguments: ways)
  func purity(_ input: Int, _ output: Int) throws {
    let tone = sine(1_000, rate: input, frames: 10 * input, channels: 1)
    let result = try resample(tone, input, output, channels: 1, blocks: [input * 10])
    let count = 1 << 15
    let middle = result[(result.count / 2 - count / 2)..<(result.count / 2 + count / 2)]
    let spectrum = Spectrum(middle, beta: 24)
    let rest = spectrum.rest(outside: 12)
    print("\(input) to \(output) Hz: everything but the tone at \(rest) dB")
    #expect(rest < -120 - 1)
    let frequency = Double(spectrum.peak) * Double(output) / Double(count)
    #expect(abs(frequency - 1_000) < 1)
  }

  @Test("Frequencies above half of the lower rate are removed")
  func alias() throws {
    let tone = sine(10_000, rate: 48_000, frames: 96_000, channels: 1)
    let result = try resample(tone, 48_000, 16_000, channels: 1, blocks: [96_000])
    let middle = result.dropFirst(4_000).dropLast(4_000)
    #expect(middle.reduce(0) { max($0, abs($1)) } < 1e-6)
  }

  @Test("The length follows the ratio, to the nearest frame", arguments: ways)
  func length(_ input: Int, _ output: Int) throws {
    for frames in [0, 1, 2, 3, 146, 147, 148, 1_000, 44_101] {
      let silence = [Float](repeating: 0.5, count: frames * 2)
      let result = try resample(silence, input, output, channels: 2, blocks: [313])
      let expected = (Double(frames) * Double(output) / Double(input)).rounded()
      #expect(result.count == Int(expected) * 2, "\(frames)")
    }
  }

  @Test("Odd blocks give the same samples as one block", arguments: ways, [1, 2, 6])
  func blocks(_ way: (Int, Int), _ channels: Int) throws {
    let tone = sine(997, rate: way.0, frames: 20_011, channels: channels)
    let whole = try resample(tone, way.0, way.1, channels: channels, blocks: [20_011])
    let odd = try resample(tone, way.0, way.1, channels: channels, blocks: [1, 7, 480, 1_023, 64])
    #expect(whole == odd)
  }

  @Test("High quality keeps everything but the tone below −110 dB")
  func high() throws {
    let tone = sine(1_000, rate: 44_100, frames: 441_000, channels: 1)
    let result = try resample(
      tone, 44_100, 48_000, channels: 1, blocks: [441_000], quality: .high)
    let middle = result[100_000..<(100_000 + 1 << 15)]
    #expect(Spectrum(middle, beta: 24).rest(outside: 12) < -110)
  }

  @Test("Each channel keeps its own sound")
  func channels() throws {
    var stereo = [Float](repeating: 0, count: 88_200)
    for frame in 0..<44_100 { stereo[frame * 2] = 0.5 }
    let result = try resample(stereo, 44_100, 48_000, channels: 2, blocks: [999])
    let middle = result.dropFirst(20_000).dropLast(20_000).enumerated()
    #expect(middle.allSatisfy { abs($1 - ($0.isMultiple(of: 2) ? 0.5 : 0)) < 1e-4 })
  }

  /// Returns a sine at −1 dB of full scale.
  private func sine(_ hertz: Double, rate: Int, frames: Int, channels: Int) -> [Float] {
    let peak = pow(10, -1.0 / 20)
    return (0..<(frames * channels)).map { index in
      Float(peak * sin(2 * .pi * hertz * Double(index / channels) / Double(rate)))
    }
  }

  private func resample(
    _ input: [Float], _ from: Int, _ to: Int, channels: Int, blocks: [Int],
    quality: Resampler.Quality = .veryHigh
  ) throws -> [Float] {
    var resampler = try Resampler(
      from: #require(SampleRate(from)), to: #require(SampleRate(to)),
      channels: #require(ChannelCount(channels)), quality: quality)
    var result: [Float] = []
    var block = [Float](repeating: 0, count: 512 * channels)
    var (start, turn) = (0, 0)
    while start < input.count {
      let end = min(start + blocks[turn % blocks.count] * channels, input.count)
      var span = block.mutableSpan
      let progress = try resampler.process(input.span.extracting(start..<end), into: &span)
      result += block.prefix(progress.produced * channels)
      start += progress.consumed * channels
      turn += 1
    }
    while true {
      var span = block.mutableSpan
      let produced = try resampler.flush(into: &span)
      if produced == 0 { return result }
      result += block.prefix(produced * channels)
    }
  }
}
