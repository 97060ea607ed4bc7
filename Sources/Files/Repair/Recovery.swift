package import Audio

/// The result of the recovery of a file.
package struct Recovery: Hashable, Sendable {
  /// The frames that the file holds, at its own rate.
  package let frames: FrameCount
  /// The bytes that were cut off behind the last whole frame, block or page.
  package let removedBytes: Int64
  /// True if there was nothing to repair; then nothing was written.
  package let wasIntact: Bool
  /// True if a part in the middle has damage that no crash explains; the audio after it was kept.
  package let hasGap: Bool

  init(frames: FrameCount, removedBytes: Int64, wasIntact: Bool, hasGap: Bool = false) {
    self.frames = frames
    self.removedBytes = removedBytes
    self.wasIntact = wasIntact
    self.hasGap = hasGap
  }

  /// The recorder was killed before the first audio reached the file, which is left as it is.
  package static let nothing = Recovery(frames: 0, removedBytes: 0, wasIntact: true)

  /// True if nothing was captured.
  package var isEmpty: Bool { frames == 0 }
}
