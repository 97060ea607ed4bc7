/// How far the pages of an Ogg file reach.
struct OggExtent: Hashable {
  /// Where the last of them ends in the file, and its number.
  var end: Int64 = 0
  var sequence: UInt32 = 0
  /// The last page on which a packet ends, without which a stream cannot end.
  var lastPage: Range<Int64> = 0..<0
  /// The position that this page states, in samples at 48 kHz.
  var granule: Int64 = 0
  /// Whether it says that it is the last of its stream.
  var isEnded = false
}
