package import Audio

/// Tells when it has been silent for long enough; a click is no end of silence.
package struct SilenceEnd: Hashable, Sendable {
  private let threshold: Decibels
  private let needed: Int
  private var quiet = 0
  private var loud = 0

  /// A click lies in two windows, where it begins in the first.
  private static var shortestSound: Int { 3 }

  /// Waits for a silence below `threshold` of `length`.
  package init(below threshold: Decibels, for length: Duration) {
    self.threshold = threshold
    needed = max(1, Int(length / WindowLevels.length))
  }

  /// Adds a window; returns true once the silence is as long as asked.
  package mutating func hear(_ level: Decibels) -> Bool {
    loud = level < threshold ? 0 : loud + 1
    quiet = loud < Self.shortestSound ? quiet + 1 : 0
    return quiet >= needed
  }
}
