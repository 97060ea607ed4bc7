package import Audio

/// A marked frame of a sound file.
package struct SoundFileCue: Hashable, Sendable {
  /// The frame, the first being 0.
  package var frame: FrameCount
  /// The mark's label; may be empty.
  package var label: String

  /// Marks `frame`, the first of the file being 0, with a label that may be empty.
  package init(at frame: FrameCount, label: String) {
    self.frame = frame
    self.label = label
  }
}
