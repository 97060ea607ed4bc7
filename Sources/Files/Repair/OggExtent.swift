/// The reach of an Ogg file's pages.
struct OggExtent: Hashable {
  /// The end of the last of them in the file, and its number.
  var end: Int64 = 0
  var sequence: UInt32 = 0
  /// The last page on which a packet ends, without which a stream cannot end.
  var lastPage: Range<Int64> = 0..<0
  /// The position that this page states, in samples at 48 kHz.
  var granule: Int64 = 0
  /// True if the last page is marked as the end of its stream.
  var isEnded = false
}
