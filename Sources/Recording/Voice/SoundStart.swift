package import Audio

/// Tells where a sound begins, and not a click.
package struct SoundStart: Hashable, Sendable {
  private let threshold: Decibels
  private var loud = 0

  /// Shorter than the shortest word, longer than a click.
  package static var windows: Int { 4 }

  /// Waits for a sound as loud as `threshold`.
  package init(at threshold: Decibels) { self.threshold = threshold }

  /// Whether a sound has begun, `windows` windows ago.
  package mutating func hear(_ level: Decibels) -> Bool {
    loud = level >= threshold ? loud + 1 : 0
    return loud >= Self.windows
  }
}
