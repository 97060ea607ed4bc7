/// A level relative to full scale (dBFS); silence is minus infinity.
package struct Decibels: Hashable, Comparable, BitwiseCopyable, Sendable {
  /// The level in dBFS.
  package let value: Double

  /// A level of `value` dBFS.
  package init(_ value: Double) { self.value = value }

  /// No sound at all.
  package static let silence = Decibels(-.infinity)
  /// The largest level that a sample can have.
  package static let fullScale = Decibels(0)

  /// The quieter level comes first.
  package static func < (left: Decibels, right: Decibels) -> Bool { left.value < right.value }
}
