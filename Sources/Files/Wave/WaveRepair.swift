package import Audio

/// The result of the repair of a WAV file.
package struct WaveRepair: Hashable, Sendable {
  /// The format of the samples.
  package let stream: StreamFormat
  /// The whole frames that the file holds.
  package let frames: FrameCount
  /// The bytes that were cut off at the end: a part of a frame, or chunks that were not complete.
  package let removedBytes: Int64
  /// True if there was nothing to repair; then nothing was written.
  package let wasIntact: Bool
}
