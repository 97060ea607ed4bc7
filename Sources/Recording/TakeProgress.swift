package import Audio

/// How far a take is, as its writer last said.
package struct TakeProgress: Sendable {
  /// All six counts, at the device's rate.
  package var frames = Accounting()
  package var gaps: [Gap] = []
  package var isPaused = false
  /// Whether the take waits for its beginning.
  package var isArmed = false
  /// The level of the latest frames written.
  package var level: Level = .silence
  package var highestPeak = 0.0
  package var clipped = 0
  package var bytes: Int64 = 0
  package var marks = 0
  /// Which file of the take is written.
  package var segment = 1
  /// The number of orders to split that the writer has come to, whatever came of them.
  package var orderedCuts = 0
  /// Frames from the beginning that were nothing but zeros.
  package var leadingSilence: FrameCount = 0
  /// What happened and has not been taken yet, in order.
  package var events: [PlacedEvent] = []

  package init() {}

  mutating func measure(_ level: Level) {
    self.level = level
    highestPeak = max(highestPeak, level.peak)
    clipped += level.clipped
  }
}
