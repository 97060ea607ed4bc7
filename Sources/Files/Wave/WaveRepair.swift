package import Audio

/// What the repair of a WAV file found and did.
package struct WaveRepair: Hashable, Sendable {
  /// What the samples are.
  package let stream: StreamFormat
  /// The whole frames that the file holds.
  package let frames: FrameCount
  /// How many bytes were cut off at the end: a part of a frame, or chunks that were not complete.
  package let removedBytes: Int64
  /// Whether there was nothing to repair; then nothing was written.
  package let wasIntact: Bool
}
