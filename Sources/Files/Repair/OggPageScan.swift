internal import Audio

/// Follows the pages of one stream of an Ogg file.
struct OggPageScan: UnitScan {
  private let serial: UInt32
  private var reach = UnitReach(OggExtent())

  init(serial: UInt32) { self.serial = serial }

  /// The pages that a repaired file keeps.
  var kept: (extent: OggExtent, hasGap: Bool) { reach.kept(at: .hz48000) { $0.granule } }

  mutating func take(_ bytes: Span<UInt8>, at offset: Int64) throws(UnitFlaw) -> Int {
    let page = try OggPage(parsing: bytes)
    guard page.serial == serial, page.granule <= FrameCount.most.value,
      isInSequence(page, at: offset)
    else { throw .invalid }
    var extent = reach.last
    extent.end = offset + Int64(page.byteCount)
    extent.sequence = page.sequence
    extent.isEnded = page.isLast
    if page.granule >= 0 {
      extent.granule = page.granule
      extent.lastPage = offset..<extent.end
    }
    reach.advance(to: extent, isAfterGap: offset > reach.last.end)
    return page.byteCount
  }

  /// True where a page may come next, as many being lost as the bytes before it can have held.
  private func isInSequence(_ page: OggPage, at offset: Int64) -> Bool {
    let last = reach.last
    if offset == 0 { return page.sequence == 0 }
    let lost = Int64(page.sequence) - Int64(last.sequence) - 1
    return !last.isEnded && lost >= 0 && lost <= (offset - last.end) / Self.leastPageBytes
      && (page.granule >= last.granule || page.granule == -1)
  }

  /// A page without a segment.
  private static let leastPageBytes: Int64 = 27
}
