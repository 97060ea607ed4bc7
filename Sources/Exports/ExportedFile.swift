package import Audio

/// A file that was exported.
package struct ExportedFile: Hashable, Sendable {
  /// Its path, or nil for a stream.
  package var path: String?
  /// Its length in frames.
  package var frames: FrameCount
  /// Its size in bytes.
  package var bytes: Int64
  /// The number of marks in it that the user has set.
  package var marks: Int
  /// Its loudness in LUFS, or nil if no loudness was requested.
  package var loudness: Double?

  init(_ piece: ExportLayout.Piece, at path: String?, bytes: Int64, marks: Int) {
    self.path = path
    frames = piece.range.upperBound - piece.range.lowerBound
    self.bytes = bytes
    self.marks = marks
  }
}
