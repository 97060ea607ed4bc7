package import Audio

/// Detects the start of a sound that is longer than a click.
package struct SoundStart: Hashable, Sendable {
  private let threshold: Decibels
  private var loud = 0

  /// Shorter than the shortest word, longer than a click.
  package static var windows: Int { 4 }

  /// Waits for a sound as loud as `threshold`.
  package init(at threshold: Decibels) { self.threshold = threshold }

  /// Adds a window; returns true if a sound began `windows` windows ago.
  package mutating func hear(_ level: Decibels) -> Bool {
    loud = level >= threshold ? loud + 1 : 0
    return loud >= Self.windows
  }
}
