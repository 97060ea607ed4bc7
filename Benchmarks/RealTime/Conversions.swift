import Audio
import RealTime

/// Benchmarks of every conversion, with a block of noise.
enum Conversions {
  static let samples = 4_800

  static func run() {
    for source in SampleFormat.allCases {
      let bytes = noise(source, samples: samples)
      for target in SampleFormat.allCases {
        measure(SampleConversion(from: source, to: target), bytes)
      }
    }
  }

  private static func measure(_ conversion: SampleConversion, _ bytes: [UInt8]) {
    var result = [UInt8](repeating: 0, count: samples * conversion.target.bytesPerSample)
    let name = "\(conversion.source) to \(conversion.target)"
    Stopwatch.report(name, samples: samples) {
      var span = result.mutableSpan
      var target = span.mutableBytes
      conversion.convert(bytes.span.bytes, into: &target)
    }
    guard conversion.losesBits else { return }
    var dither = Dither(seed: 1)
    Stopwatch.report(name + " with dither", samples: samples) {
      var span = result.mutableSpan
      var target = span.mutableBytes
      conversion.convert(bytes.span.bytes, into: &target, dithering: &dither)
    }
  }

  /// Returns noise at half of full scale, in any format.
  static func noise(_ format: SampleFormat, samples: Int) -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    let floats = (0..<samples).map { _ in Float.random(in: -0.5...0.5, using: &random) }
    var bytes = [UInt8](repeating: 0, count: samples * format.bytesPerSample)
    var span = bytes.mutableSpan
    var target = span.mutableBytes
    SampleConversion(from: .float32, to: format).convert(floats.span.bytes, into: &target)
    return bytes
  }
}
