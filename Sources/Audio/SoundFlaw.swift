/// The missing or surplus parts of a sound file, compared with the length that its header states.
package struct SoundFlaw: Hashable, Sendable {
  /// The number of frames in the file.
  package var frames: FrameCount
  /// The number of frames that the file states but does not contain, or nil if it does not state
  /// its length.
  package var missing: FrameCount?
  /// Whether the file ends early.
  package var isCutShort: Bool
  /// The number of bytes after the sound that do not belong to the file's format.
  package var trailingBytes: Int64
  /// Whether a repaired copy of the file can be made, as for most WAV files.
  package var isRepairable: Bool

  /// The flaw of a file with `frames` frames.
  package init(
    frames: FrameCount, missing: FrameCount?, isCutShort: Bool, trailingBytes: Int64,
    isRepairable: Bool
  ) {
    self.frames = frames
    self.missing = missing
    self.isCutShort = isCutShort
    self.trailingBytes = trailingBytes
    self.isRepairable = isRepairable
  }

  /// The number of frames that the file states, or nil if it does not state its length.
  package var stated: FrameCount? { missing.map { frames + $0 } }
}
