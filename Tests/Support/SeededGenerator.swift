/// Random numbers that are the same in every run with the same seed.
///
/// The generator is Steele, Lea and Flood's SplitMix (2014): a counter whose steps are scrambled.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var counter: UInt64

  package init(seed: UInt64) { counter = seed }

  package mutating func next() -> UInt64 {
    counter &+= 0x9E37_79B9_7F4A_7C15
    var bits = counter
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// Returns `count` random bytes.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
  }
}
