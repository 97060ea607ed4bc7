internal import Glibc

/// A discrete Fourier transform of complex numbers. Their count is a power of two.
///
/// It uses Stockham's radix-4 passes, which need no reordering of the results. Each pass reads one
/// half of the memory and writes the other half, four numbers at a time.
@safe
struct Fourier: ~Copyable {
  /// The number of complex values in a transform, at least 16.
  let count: Int
  /// The real parts, the imaginary parts, and a second area of the same size.
  private let memory: UnsafeMutablePointer<Float>
  /// The first, second and third powers of the roots of unity, for each pass.
  private let roots: UnsafeMutablePointer<Float>

  private typealias Numbers = UnsafeMutablePointer<Float>

  /// Creates a transform of `count` numbers. The count must be a power of two, at least 16.
  init(_ count: Int) {
    precondition(count >= 16 && count & (count - 1) == 0, "not a power of two, or less than 16")
    self.count = count
    unsafe memory = .allocate(capacity: 4 * count)
    unsafe memory.initialize(repeating: 0, count: 4 * count)
    unsafe roots = .allocate(capacity: 2 * count)
    unsafe roots.initialize(repeating: 0, count: 2 * count)
    var (root, length) = unsafe (roots, count)
    while length >= 4 {
      unsafe Self.fill(root, length)
      unsafe root += 6 * (length / 4)
      length /= 4
    }
  }

  deinit {
    unsafe memory.deallocate()
    unsafe roots.deallocate()
  }

  private static func fill(_ root: Numbers, _ length: Int) {
    let quarter = length / 4
    for index in 0..<quarter {
      for power in 1...3 {
        let angle = -2 * Double.pi * Double(index * power) / Double(length)
        unsafe root[(2 * power - 2) * quarter + index] = Float(cos(angle))
        unsafe root[(2 * power - 1) * quarter + index] = Float(sin(angle))
      }
    }
  }

  /// Loads two real signals as the real and the imaginary parts, each multiplied by a window. The
  /// imaginary parts are zero if `second` is nil.
  mutating func load(
    _ first: UnsafePointer<Float>, _ second: UnsafePointer<Float>?, by window: UnsafePointer<Float>
  ) {
    for index in stride(from: 0, to: count, by: 4) {
      let weight = unsafe Self.four(window + index)
      unsafe Self.put(Self.four(first + index) * weight, memory + index)
      let other = unsafe second.map { unsafe Self.four($0 + index) * weight }
      unsafe Self.put(other ?? SIMD4(repeating: 0), memory + count + index)
    }
  }

  /// Transforms two real signals of `count` numbers, as the real and the imaginary parts of one
  /// complex signal. Both are first multiplied by the window.
  mutating func transformed(
    _ real: ArraySlice<Float>, _ imaginary: ArraySlice<Float>, by window: [Float]
  ) -> (real: [Float], imaginary: [Float]) {
    precondition(real.count == count && imaginary.count == count && window.count == count)
    unsafe real.withUnsafeBufferPointer { real in
      unsafe imaginary.withUnsafeBufferPointer { imaginary in
        unsafe window.withUnsafeBufferPointer { window in
          guard let real = real.baseAddress, let imaginary = imaginary.baseAddress,
            let window = window.baseAddress
          else { return }
          unsafe load(real, imaginary, by: window)
        }
      }
    }
    let result = unsafe UnsafeBufferPointer(start: transform(), count: 2 * count)
    return unsafe (Array(result[..<count]), Array(result[count...]))
  }

  /// Runs the transform and adds the squared magnitude of each result to `powers`.
  mutating func addPowers(to powers: UnsafeMutablePointer<Float>) {
    let result = unsafe transform()
    for index in stride(from: 0, to: count, by: 4) {
      let (real, imaginary) = unsafe (Self.four(result + index), Self.four(result + count + index))
      unsafe Self.put(
        Self.four(powers + index) + real * real + imaginary * imaginary, powers + index)
    }
  }

  /// Replaces each value of `highest` with the signal power at the same frequency, if this power is
  /// higher. Then sets `powers` to zero. The signal power at a frequency is the sum of `powers` at
  /// the frequency and at its negative. At frequency zero, it is half of `powers[0]`.
  func raise(_ highest: UnsafeMutablePointer<Float>, to powers: UnsafeMutablePointer<Float>) {
    unsafe highest[0] = max(highest[0], powers[0] / 2)
    for index in stride(from: 1, to: count / 2, by: 4) {
      let back = unsafe Self.four(powers + count - index - 3)
      let sum =
        unsafe Self.four(powers + index) + SIMD4(back[3], back[2], back[1], back[0])
      let former = unsafe Self.four(highest + index)
      unsafe Self.put(sum.replacing(with: former, where: former .> sum), highest + index)
    }
    unsafe powers.update(repeating: 0, count: count)
  }

  private func transform() -> Numbers {
    var (from, to, root) = unsafe (memory, memory + 2 * count, roots)
    var (length, stride) = (count, 1)
    while length >= 4 {
      if stride == 1 {
        unsafe first(from, to, root)
      } else {
        for index in 0..<(length / 4) { unsafe pass(from, to, root, length / 4, stride, index) }
      }
      unsafe root += 6 * (length / 4)
      unsafe swap(&from, &to)
      (length, stride) = (length / 4, 4 * stride)
    }
    guard length == 2 else { return unsafe from }
    unsafe last(from, to)
    return unsafe to
  }

  @inline(__always)
  private static func four(_ source: UnsafePointer<Float>) -> SIMD4<Float> {
    unsafe UnsafeRawPointer(source).loadUnaligned(as: SIMD4<Float>.self)
  }

  @inline(__always)
  private static func put(_ four: SIMD4<Float>, _ target: Numbers) {
    unsafe UnsafeMutableRawPointer(target).storeBytes(of: four, as: SIMD4<Float>.self)
  }

  /// Returns the four-point transform of each of four SIMD lanes, before the multiplication by the
  /// roots.
  @inline(__always)
  private func butterfly(_ from: Numbers, _ step: Int) -> Four {
    let (x, y) = unsafe (from, from + count)
    let (r0, r2) = unsafe (Self.four(x), Self.four(x + 2 * step))
    let (r1, r3) = unsafe (Self.four(x + step), Self.four(x + 3 * step))
    let (i0, i2) = unsafe (Self.four(y), Self.four(y + 2 * step))
    let (i1, i3) = unsafe (Self.four(y + step), Self.four(y + 3 * step))
    let (evenReal, evenImaginary) = (r0 + r2, i0 + i2)
    let (oddReal, oddImaginary) = (r1 + r3, i1 + i3)
    let (leftReal, leftImaginary) = (r0 - r2, i0 - i2)
    let (rightReal, rightImaginary) = (r1 - r3, i1 - i3)
    return Four(
      real: (
        evenReal + oddReal, leftReal + rightImaginary, evenReal - oddReal,
        leftReal - rightImaginary
      ),
      imaginary: (
        evenImaginary + oddImaginary, leftImaginary - rightReal, evenImaginary - oddImaginary,
        leftImaginary + rightReal
      ))
  }

  /// Four complex numbers in each of four SIMD lanes.
  private struct Four {
    typealias Lanes = (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
    var real: Lanes
    var imaginary: Lanes
  }

  @inline(__always)
  private static func product(
    _ real: SIMD4<Float>, _ imaginary: SIMD4<Float>, _ x: SIMD4<Float>, _ y: SIMD4<Float>
  ) -> (SIMD4<Float>, SIMD4<Float>) {
    (real * x - imaginary * y, real * y + imaginary * x)
  }

  /// The first pass. Its four lanes read adjacent numbers, and the four results of a lane are
  /// stored next to each other.
  private func first(_ from: Numbers, _ to: Numbers, _ root: Numbers) {
    let quarter = count / 4
    for index in stride(from: 0, to: quarter, by: 4) {
      let four = unsafe butterfly(from + index, quarter)
      let turn = unsafe root + index
      let (r1, i1) = unsafe Self.product(
        four.real.1, four.imaginary.1, Self.four(turn), Self.four(turn + quarter))
      let (r2, i2) = unsafe Self.product(
        four.real.2, four.imaginary.2, Self.four(turn + 2 * quarter), Self.four(turn + 3 * quarter))
      let (r3, i3) = unsafe Self.product(
        four.real.3, four.imaginary.3, Self.four(turn + 4 * quarter), Self.four(turn + 5 * quarter))
      unsafe Self.putTurned((four.real.0, r1, r2, r3), to + 4 * index)
      unsafe Self.putTurned((four.imaginary.0, i1, i2, i3), to + count + 4 * index)
    }
  }

  /// Stores rows as columns.
  @inline(__always)
  private static func putTurned(_ rows: Four.Lanes, _ target: Numbers) {
    for lane in 0..<4 {
      let column = SIMD4(rows.0[lane], rows.1[lane], rows.2[lane], rows.3[lane])
      unsafe put(column, target + 4 * lane)
    }
  }

  /// One step of a later pass, for the numbers that are multiplied by the same roots.
  @inline(__always)
  private func pass(
    _ from: Numbers, _ to: Numbers, _ root: Numbers, _ quarter: Int, _ stride: Int, _ block: Int
  ) {
    var turns = SIMD8<Float>(repeating: 0)
    for index in 0..<6 { unsafe turns[index] = root[index &* quarter &+ block] }
    var index = 0
    while index < stride {
      let four = unsafe butterfly(from + (stride &* block &+ index), stride &* quarter)
      let (r1, i1) = Self.product(
        four.real.1, four.imaginary.1, SIMD4(repeating: turns[0]), SIMD4(repeating: turns[1]))
      let (r2, i2) = Self.product(
        four.real.2, four.imaginary.2, SIMD4(repeating: turns[2]), SIMD4(repeating: turns[3]))
      let (r3, i3) = Self.product(
        four.real.3, four.imaginary.3, SIMD4(repeating: turns[4]), SIMD4(repeating: turns[5]))
      let target = unsafe to + (4 &* stride &* block &+ index)
      unsafe Self.put(four.real.0, target)
      unsafe Self.put(r1, target + stride)
      unsafe Self.put(r2, target + 2 * stride)
      unsafe Self.put(r3, target + 3 * stride)
      unsafe Self.put(four.imaginary.0, target + count)
      unsafe Self.put(i1, target + count + stride)
      unsafe Self.put(i2, target + count + 2 * stride)
      unsafe Self.put(i3, target + count + 3 * stride)
      index &+= 4
    }
  }

  /// The last pass if `count` is twice a power of four. It has radix 2.
  private func last(_ from: Numbers, _ to: Numbers) {
    let half = count / 2
    for part in [0, count] {
      for index in stride(from: part, to: part + half, by: 4) {
        let (left, right) = unsafe (Self.four(from + index), Self.four(from + index + half))
        unsafe Self.put(left + right, to + index)
        unsafe Self.put(left - right, to + index + half)
      }
    }
  }
}

// SAFETY: only this value owns the memory, and Swift's exclusivity rules protect the value.
extension Fourier: @unchecked Sendable {}
