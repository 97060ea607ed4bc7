/// The difference between the sound that a file states and the sound that is in it.
package struct SoundFlaw: Hashable, Sendable {
  /// The frames in the file.
  package var frames: FrameCount
  /// The frames that the file states beyond those, or nil if it does not state its length.
  package var missing: FrameCount?
  /// Whether the file ends early.
  package var isCutShort: Bool
  /// The bytes after the sound that are no part of the file's format.
  package var trailingBytes: Int64
  /// Whether a repaired copy of the file can be made: it is a WAV file.
  package var isRepairable: Bool

  /// The flaw of a file with that number of frames.
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

  /// The frames that the file states, or nil if it does not state its length.
  package var stated: FrameCount? { missing.map { frames + $0 } }
}
