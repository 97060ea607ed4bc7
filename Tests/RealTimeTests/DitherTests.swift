import Audio
import Foundation
import RealTime
import Testing

@Suite("Dither")
struct DitherTests {
  #if DEBUG
    static let count = 60_000
  #else
    static let count = 1_000_000
  #endif
  /// Five standard deviations of the mean of `count` samples. The seed is fixed, so the result is
  /// the same each time, and correct noise passes.
  static let tolerance = 5 / Double(count).squareRoot()

  /// Returns the errors that a conversion to 16 bits adds to samples. The samples and the errors
  /// are in steps of 16 bits.
  static func errors(
    of steps: [Double], dither: Dither?, from source: SampleFormat = .float64
  ) -> [Double] {
    let samples = steps.map { $0 / 32_768 }
    let input = source == .float32 ? bytes(samples.map(Float.init)) : bytes(samples)
    let codes: [Int16] = values(converted(input, from: source, to: .int16, dither: dither))
    return zip(codes, steps).map { Double($0) - $1 }
  }

  static func mean(_ numbers: [Double]) -> Double { numbers.reduce(0, +) / Double(numbers.count) }

  static func correlation(_ left: [Double], _ right: [Double]) -> Double {
    let products = mean(zip(left, right).map { $0 * $1 }) - mean(left) * mean(right)
    return products / (variance(left) * variance(right)).squareRoot()
  }

  static func variance(_ numbers: [Double]) -> Double {
    mean(numbers.map { $0 * $0 }) - mean(numbers) * mean(numbers)
  }

  /// Floats of 32 bits become 16 bits in one pass, and other formats through numbers.
  static let sources: [SampleFormat] = [.float32, .float64]

  /// A sine of −100 dBFS, a third of a 16-bit step, at 997 Hz.
  static let quietSine = (0..<count).map {
    32_768 * 1e-5 * sin(2 * .pi * 997 * (Double($0) + 0.5) / 48_000)
  }

  @Test("Without dither, a sine below one step is lost completely")
  func undithered() {
    let errors = Self.errors(of: Self.quietSine, dither: nil)
    #expect(Self.correlation(errors, Self.quietSine) < -0.999)
  }

  @Test(
    "The error of a dithered sine has nothing to do with the sine",
    arguments: 1...5 as ClosedRange<UInt64>, sources)
  func sine(seed: UInt64, source: SampleFormat) {
    let errors = Self.errors(of: Self.quietSine, dither: Dither(seed: seed), from: source)
    #expect(abs(Self.mean(errors)) < Self.tolerance / 2)
    #expect(abs(Self.variance(errors) - 0.25) < Self.tolerance / 2)
    #expect(abs(Self.correlation(errors, Self.quietSine)) < Self.tolerance)
    let power = errors.map { $0 * $0 }
    #expect(abs(Self.correlation(power, Self.quietSine.map { $0 * $0 })) < Self.tolerance)
  }

  @Test(
    "Mean and power of the error are the same between the steps",
    arguments: [0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 1, -0.3, 1_000.5, -32_000.125], sources)
  func constant(step: Double, source: SampleFormat) {
    let errors = Self.errors(
      of: [Double](repeating: step, count: Self.count), dither: Dither(seed: 42), from: source)
    #expect(abs(Self.mean(errors)) < Self.tolerance / 2)
    #expect(abs(Self.variance(errors) - 0.25) < Self.tolerance / 2)
  }

  @Test("An error does not depend on previous errors", arguments: 1...8, sources)
  func independence(lag: Int, source: SampleFormat) {
    let errors = Self.errors(
      of: [Double](repeating: 0.4, count: Self.count + lag), dither: Dither(seed: 7), from: source)
    let pairs = Self.correlation(Array(errors.dropLast(lag)), Array(errors.dropFirst(lag)))
    #expect(abs(pairs) < Self.tolerance)
  }

  @Test("The noise has a triangular distribution no wider than two steps", arguments: sources)
  func triangle(source: SampleFormat) {
    let errors = Self.errors(
      of: [Double](repeating: 100, count: Self.count), dither: Dither(seed: 3), from: source)
    let shares = [-2.0, -1, 0, 1, 2].map { step in
      Double(errors.count { $0 == step }) / Double(Self.count)
    }
    for (share, expected) in zip(shares, [0, 0.125, 0.75, 0.125, 0]) {
      #expect(abs(share - expected) < Self.tolerance)
    }
    #expect(shares[0] + shares[4] == 0)
  }

  @Test("Digital silence remains digital silence, also next to a loud channel", arguments: sources)
  func silence(source: SampleFormat) {
    let stereo = Self.quietSine.prefix(1_000).flatMap { [$0, 0.0] }
    let errors = Self.errors(of: stereo, dither: Dither(seed: 1), from: source)
    #expect(errors.indices.filter { $0 % 2 == 1 }.allSatisfy { errors[$0] == 0 })
    #expect(errors.indices.filter { $0 % 2 == 0 }.contains { errors[$0].magnitude > 1 })
  }

  @Test(
    "The same seed makes the same noise in blocks of any size, and another seed other noise",
    arguments: [SampleFormat.int32, .float32])
  func seeds(source: SampleFormat) {
    let numbers = (0..<1_000).map { Int32($0 * 70_001) }
    let samples =
      source == .float32 ? bytes(numbers.map { Float($0) * 0x1p-31 }) : bytes(numbers)
    func inBlocks(of size: Int, seed: UInt64) -> [UInt8] {
      var dither = Dither(seed: seed)
      return stride(from: 0, to: samples.count, by: size * 4).flatMap { start in
        let end = min(start + size * 4, samples.count)
        var block = [UInt8](repeating: 0, count: (end - start) / 2)
        var span = block.mutableSpan
        var room = span.mutableBytes
        SampleConversion(from: source, to: .int16)
          .convert(samples.span.bytes.extracting(start..<end), into: &room, dithering: &dither)
        return block
      }
    }
    #expect(inBlocks(of: 1_000, seed: 1) == inBlocks(of: 7, seed: 1))
    #expect(inBlocks(of: 1_000, seed: 1) != inBlocks(of: 1_000, seed: 2))
  }

  @Test("A loss of bits depends on the formats, not on samples", arguments: SampleFormat.allCases)
  func losesBits(source: SampleFormat) {
    for target in SampleFormat.allCases {
      let conversion = SampleConversion(from: source, to: target)
      let fewer = target.significantBits < source.significantBits
      #expect(conversion.losesBits == (fewer && !target.isFloat))
      if !conversion.losesBits {
        let samples = [UInt8](repeating: 0x35, count: 240)
        let plain = converted(samples, from: source, to: target)
        #expect(converted(samples, from: source, to: target, dither: Dither(seed: 1)) == plain)
      }
    }
  }
}
