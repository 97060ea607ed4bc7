internal import Audio
internal import Glibc

/// Interleaved samples as numbers that libsndfile takes without a loss: integers that fill 32 bits, or floats.
///
/// libsndfile's own conversion from float to integer rounds down, which leaves a constant of half a step, and wraps
/// by default; here numbers are rounded to the nearest step of the file and clipped at full scale.
struct LibrarySamples {
  let source: SampleFormat
  /// The bits of the file's integers.
  let bits: Int

  /// Fills the first `count` of `output` from the bytes of as many samples.
  func integers(_ bytes: RawSpan, _ count: Int, into output: inout [Int32]) {
    switch source {
    case .int16: fill(&output, count) { Int32(load(bytes, $0, Int16.self)) << 16 }
    case .int24Packed: fill(&output, count) { packed(bytes, $0) }
    case .int24: fill(&output, count) { rounded(load(bytes, $0, Int32.self) << 8) }
    case .int32: fill(&output, count) { rounded(load(bytes, $0, Int32.self)) }
    case .float32: fill(&output, count) { step(Double(load(bytes, $0, Float.self))) }
    case .float64: fill(&output, count) { step(load(bytes, $0, Double.self)) }
    }
  }

  /// Fills the first `count` of `output` from the bytes of as many samples, full scale being 1.
  func floats(_ bytes: RawSpan, _ count: Int, into output: inout [Float]) {
    let fullScale: Float = 0x1p31
    switch source {
    case .int16: fill(&output, count) { Float(load(bytes, $0, Int16.self)) / 0x1p15 }
    case .int24Packed: fill(&output, count) { Float(packed(bytes, $0)) / fullScale }
    case .int24: fill(&output, count) { Float(load(bytes, $0, Int32.self) << 8) / fullScale }
    case .int32: fill(&output, count) { Float(load(bytes, $0, Int32.self)) / fullScale }
    case .float32: fill(&output, count) { load(bytes, $0, Float.self) }
    case .float64: fill(&output, count) { Float(load(bytes, $0, Double.self)) }
    }
  }

  @inline(__always)
  private func fill<Sample>(_ output: inout [Sample], _ count: Int, _ sample: (Int) -> Sample) {
    for index in 0..<count { output[index] = sample(index) }
  }

  @inline(__always)
  private func load<Sample: BitwiseCopyable>(
    _ bytes: borrowing RawSpan, _ index: Int, _ type: Sample.Type
  ) -> Sample {
    unsafe bytes.unsafeLoadUnaligned(
      fromByteOffset: index * MemoryLayout<Sample>.size, as: Sample.self)
  }

  @inline(__always)
  private func packed(_ bytes: borrowing RawSpan, _ index: Int) -> Int32 {
    let low = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index * 3, as: UInt16.self)
    let high = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index * 3 + 2, as: Int8.self)
    return rounded(Int32(high) << 24 | Int32(low) << 8)
  }

  @inline(__always)
  private func rounded(_ value: Int32) -> Int32 {
    guard bits < 32 else { return value }
    let step = Int32(1) << (32 - bits)
    let (sum, overflow) = value.addingReportingOverflow(step / 2)
    return (overflow ? .max : sum) & -step
  }

  /// Rounds to the nearest step and clips at full scale; NaN becomes silence.
  @inline(__always)
  private func step(_ value: Double) -> Int32 {
    let limit = Double(Int64(1) << (bits - 1))
    let scaled = (value * limit).rounded(.toNearestOrEven)
    guard scaled == scaled else { return 0 }
    return Int32(min(max(scaled, -limit), limit - 1)) << (32 - bits)
  }
}
