/// The range of a file's samples, as the file states it.
struct SampleExtent {
  let start: Int64
  /// The size of the samples in bytes, or nil if the file does not know it.
  let count: Int64?
  /// The corrected size for the decoder if the writer could not know the size or it is larger than
  /// the file, or nil if no correction is needed. libsndfile treats some of these files as empty.
  var correction: FilePatch?

  /// Returns the range of the existing samples in a file that ends at `end`.
  func range(upTo end: Int64) -> Range<Int64> {
    let (claimed, overflow) = start.addingReportingOverflow(max(0, count ?? end))
    return start..<max(start, min(end, overflow ? end : claimed))
  }

  /// Whether the file states more samples than it contains.
  func reaches(past end: Int64) -> Bool { (count ?? 0) > end - start }
}

extension SampleExtent {
  /// Returns the range of a file's samples, or nil if the container does not state it or is unknown
  /// here.
  static func of(_ file: CheckedFile, _ chunks: Chunks?) throws(SoundFileError) -> SampleExtent? {
    if let chunks { return try chunks.sampleExtent() }
    return ofSun(try file.bytes(at: 0, upTo: ChunkLayout.mostHeadBytes))
  }

  /// Returns the extent in a file of Sun or NeXT, or nil for any other file. The header states the
  /// offset and the size of the samples.
  private static func ofSun(_ head: [UInt8]) -> SampleExtent? {
    guard head.count >= 12, [".snd", "dns."].contains(head.name(at: 0)) else { return nil }
    let isSwapped = head.name(at: 0) == "dns."
    let numbers = [4, 8].map { offset in
      let number = head.number(at: offset, as: UInt32.self)
      return Int64(isSwapped ? number : number.byteSwapped)
    }
    return SampleExtent(start: numbers[0], count: numbers[1] == 0xFFFF_FFFF ? nil : numbers[1])
  }
}
