/// The reach of a FLAC file's frames.
struct FLACExtent: Hashable {
  /// The end of the last of them in the file.
  var end: Int64
  /// The audio up to there.
  var frames: Int64 = 0
  /// The lengths of the shortest and of the longest; 0 before the first.
  var frameBytes = 0...0
}
