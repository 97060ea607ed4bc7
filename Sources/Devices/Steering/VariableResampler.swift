internal import Audio
internal import Glibc

/// A resampler for a ratio that changes all the time: it returns the signal at any position between
/// two samples.
///
/// It multiplies the neighbouring samples by the coefficients of a low-pass filter. The
/// coefficients are computed in advance for 512 positions between two samples, and interpolated
/// linearly for all other positions.
struct VariableResampler: Sendable {
  /// The number of samples on each side that contribute to the value at a position.
  let reach: Int
  /// The coefficients of the filter, one row for each position between two samples.
  private let rows: [Float]

  private static var phases: Int { 512 }
  /// With this number, sound up to 0.46 of the rate passes unchanged.
  private static var leastReach: Int { 48 }
  /// The parameter of the Kaiser window. With this value, sound above the frequency limit is
  /// attenuated by 108 dB.
  private static var beta: Double { 11 }

  /// A resampler from one nominal rate to another.
  init(from input: SampleRate, to output: SampleRate) {
    // If the output rate is lower, the filter needs a lower frequency limit, and must be longer.
    let scale = min(1, Double(output.hertz) / Double(input.hertz))
    let reach = (Int((Double(Self.leastReach) / scale).rounded(.up)) + 3) / 4 * 4
    var rows: [Float] = []
    rows.reserveCapacity((Self.phases + 1) * 2 * reach)
    for phase in 0...Self.phases {
      let start = Double(1 - reach) - Double(phase) / Double(Self.phases)
      let row = (0..<2 * reach).map { Self.filter(start + Double($0), scale, Double(reach)) }
      let sum = row.reduce(0, +)
      rows += row.map { Float($0 / sum) }
    }
    (self.reach, self.rows) = (reach, rows)
  }

  private static func filter(_ distance: Double, _ scale: Double, _ reach: Double) -> Double {
    let ratio = distance / reach
    guard abs(ratio) < 1 else { return 0 }
    let angle = .pi * scale * distance
    return (angle == 0 ? 1 : sin(angle) / angle) * bessel(beta * (1 - ratio * ratio).squareRoot())
  }

  /// Returns the modified Bessel function of the first kind and order 0, from its series.
  private static func bessel(_ value: Double) -> Double {
    var (term, sum, index) = (1.0, 1.0, 1.0)
    while term > sum * 1e-18 {
      term *= (value / (2 * index)) * (value / (2 * index))
      sum += term
      index += 1
    }
    return sum
  }

  /// Returns the signal at a position, counted in samples from `start`. There must be at least
  /// `reach` samples before the position, and as many after it.
  func value(of samples: Span<Float>, from start: Int, at position: Double) -> Float {
    let index = Int(position)
    let phase = (position - Double(index)) * Double(Self.phases)
    let (row, part) = (Int(phase), Float(phase - phase.rounded(.down)))
    let first = start + index + 1 - reach
    let isInside = first >= 0 && first + 2 * reach <= samples.count
    precondition(isInside, "too few samples are near the position")
    return unsafe Self.product(
      samples.bytes, first, rows.span.bytes, row * 2 * reach, count: 2 * reach, part)
  }

  /// Returns the sum of the products of samples and coefficients. The coefficients are
  /// interpolated: `part` of the way from one row to the next.
  @inline(__always)
  private static func product(
    _ samples: RawSpan, _ first: Int, _ rows: RawSpan, _ row: Int, count: Int, _ part: Float
  ) -> Float {
    let size = MemoryLayout<Float>.size
    var sum = SIMD8<Float>.zero
    for index in stride(from: 0, to: count, by: 8) {
      let sample = unsafe samples.unsafeLoadUnaligned(
        fromUncheckedByteOffset: (first + index) * size, as: SIMD8<Float>.self)
      let low = unsafe rows.unsafeLoadUnaligned(
        fromUncheckedByteOffset: (row + index) * size, as: SIMD8<Float>.self)
      let high = unsafe rows.unsafeLoadUnaligned(
        fromUncheckedByteOffset: (row + index + count) * size, as: SIMD8<Float>.self)
      sum += sample * (low + (high - low) * part)
    }
    return sum.sum()
  }
}
