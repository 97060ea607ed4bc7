/// How far the frames of a FLAC file reach.
struct FLACExtent: Hashable {
  /// Where the last of them ends in the file.
  var end: Int64
  /// The audio up to there.
  var frames: Int64 = 0
  /// The lengths of the shortest and of the longest; 0 before the first.
  var frameBytes = 0...0
}
