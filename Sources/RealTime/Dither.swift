/// Noise that turns the error of rounding into a steady hiss, independent of the sound.
///
/// Two uniform numbers are added for each sample: a triangle two steps wide. Then the mean of the
/// error and its power, a quarter of a square step, are the same for every value of the sound.
/// The same seed gives the same noise, whatever the size of the blocks.
package struct Dither: Sendable {
  private var state: UInt64

  /// Noise that begins at a place of its own for each seed.
  package init(seed: UInt64) { state = seed }

  /// Adds noise to the first `count` numbers, whose target format has steps of `step`.
  ///
  /// A number of exactly 0 stays 0; its noise is drawn all the same.
  @_noLocks @_noAllocation
  mutating func add(to numbers: inout Numbers, _ count: Int, step: Double) {
    let available = numbers.count
    precondition(count <= available, "there are fewer numbers")
    for index in 0..<count {
      let number = unsafe numbers[unchecked: index]
      let noise = next() * step
      unsafe numbers[unchecked: index] = number == 0 ? 0 : number + noise
    }
  }

  /// The next number of the noise, −1 to 1.
  @inline(__always)
  private mutating func next() -> Double {
    // SplitMix64 (Steele, Lea, Flood 2014): a counter and a hash of it, so that one number does not
    // wait for the one before.
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    let first = Int32(truncatingIfNeeded: bits)
    let second = Int32(truncatingIfNeeded: bits >> 32)
    return (Double(first) + Double(second)) * 0x1p-32
  }
}
