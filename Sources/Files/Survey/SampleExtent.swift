/// The range of a file's samples, as the file states it.
struct SampleExtent {
  let start: Int64
  /// The size of the samples in bytes, or nil if the file does not state it.
  let count: Int64?
  /// The corrected size for the decoder, or nil if no correction is needed. A correction is needed
  /// if the file states no size, or a size that is too large. libsndfile treats some of these files
  /// as empty.
  var correction: FilePatch?

  /// Returns the range of the existing samples in a file that ends at `end`.
  func range(upTo end: Int64) -> Range<Int64> {
    let (claimed, overflow) = start.addingReportingOverflow(max(0, count ?? end))
    return start..<max(start, min(end, overflow ? end : claimed))
  }

  /// Returns whether a file that ends at `end` states more samples than it contains.
  func reaches(past end: Int64) -> Bool { (count ?? 0) > end - start }
}
