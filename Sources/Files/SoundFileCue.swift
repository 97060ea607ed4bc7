package import Audio

/// A marked frame of a sound file.
package struct SoundFileCue: Hashable, Sendable {
  /// The frame, the first being 0.
  package var frame: FrameCount
  /// What it is called; may be empty.
  package var label: String

  package init(at frame: FrameCount, label: String) {
    self.frame = frame
    self.label = label
  }
}
