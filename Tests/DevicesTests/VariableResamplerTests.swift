import Audio
import Glibc
import Support
import Testing

@testable import Devices

@Suite("The resampler with a variable ratio")
struct VariableResamplerTests {
  private static let rates = [(48_000, 48_000), (44_100, 48_000), (96_000, 48_000)]

  private func resampler(_ input: Int, _ output: Int) throws -> VariableResampler {
    VariableResampler(
      from: try #require(SampleRate(input)), to: try #require(SampleRate(output)))
  }

  @Test("returns a tone without side bands while its ratio changes", arguments: rates)
  func tone(input: Int, output: Int) throws {
    let resampler = try resampler(input, output)
    let turn = 2 * Double.pi * 1_000 / Double(input)
    let samples = (0..<20_000).map { Float(sin(turn * Double($0))) }
    var position = Double(resampler.reach)
    var step = Double(input) / Double(output)
    let result = (0..<8_192).map { _ in
      step += 1e-8
      position += step
      return resampler.value(of: samples.span, from: 0, at: position)
    }
    #expect(Spectrum(result[...], beta: 24).rest(outside: 12) < -125)
  }

  @Test("returns each sample at its own position")
  func exact() throws {
    let resampler = try resampler(48_000, 48_000)
    let samples = (0..<200).map { Float($0 * 37 % 101) / 101 }
    for index in 60..<140 {
      let value = resampler.value(of: samples.span, from: 0, at: Double(index))
      #expect(abs(value - samples[index]) < 1e-5)
      #expect(value == resampler.value(of: samples.span, from: 10, at: Double(index - 10)))
    }
  }

  @Test("does not change the level of a constant", arguments: rates)
  func constant(input: Int, output: Int) throws {
    let resampler = try resampler(input, output)
    let samples = [Float](repeating: 0.5, count: 400)
    for step in 0..<300 {
      let value = resampler.value(of: samples.span, from: 0, at: 150 + Double(step) / 300)
      #expect(abs(value - 0.5) < 1e-6)
    }
  }
}
