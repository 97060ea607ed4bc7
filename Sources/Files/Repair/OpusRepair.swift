internal import Audio

/// The repair of an Opus file: finds the last whole page, and marks it as the end of the stream.
enum OpusRepair {
  /// Returns the plan to keep at most `most` frames, or nil if the file contains no samples. The
  /// file is only read.
  static func plan(
    for file: CheckedFile, upTo most: FrameCount
  ) throws(SoundFileError) -> RepairPlan? {
    try RepairPlan.checkBeginning(of: file, ["OggS"])
    var pages = try OggPages(of: file)
    guard let first = try pages.next(), let head = try OpusHead(of: file, on: first) else {
      if file.end < OpusHead.mostBytes { return nil }
      throw .notRepairable(subject: file.label, .foreignHeader)
    }
    let limit = head.granule(after: most)
    var scan = OggPageScan(first, upTo: limit)
    while let page = try pages.next() { scan.take(page) }
    let (extent, hasGap) = scan.kept
    // A stream may end within its last page (RFC 7845, 4.4).
    let granule = min(extent.granule, limit)
    let frames = head.frames(upTo: granule)
    if frames == 0 { return nil }
    let isEnded =
      extent.isEnded && extent.lastPage.upperBound == extent.end && extent.granule == granule
    let (start, end) = (extent.lastPage.lowerBound, extent.lastPage.upperBound)
    let page = isEnded ? [] : try file.bytes(at: start, upTo: extent.lastPage.count)
    let patch = isEnded ? nil : try OggPage.ending(page, at: start, granule)
    return RepairPlan(
      .opus, head.stream, frames: frames, end: end, patch, isIntact: isEnded && end == file.end,
      hasGap: hasGap)
  }
}

/// The first packet of an Opus stream, on a page of its own (RFC 7845, 5.1).
struct OpusHead: Hashable {
  /// The format of the decoded samples.
  let stream: StreamFormat
  private let preSkip: Int64

  /// The maximum size of the page with this packet: a page header, the sizes of two segments, and a
  /// packet with a table of 255 channels.
  static let mostBytes: Int64 = 27 + 2 + 21 + 255

  /// Parses the first page of a file. The result is nil if the page is incomplete or belongs to
  /// another kind of stream.
  init?(of file: CheckedFile, on page: OggPage) throws(SoundFileError) {
    let packet = try file.bytes(at: page.content.lowerBound, upTo: page.content.count)
    guard page.range.lowerBound == 0, packet.starts(with: "OpusHead".utf8), packet.count >= 19,
      let channels = ChannelCount(Int(packet[9]))
    else { return nil }
    preSkip = Int64(packet.number(at: 10, as: UInt16.self))
    // If Opus does not support the stated rate, this rate only describes the original sound. The
    // stream is then decoded at 48 kHz.
    let stated = Int(packet.number(at: 12, as: UInt32.self))
    let isKnown = FileFormat.opus.rates?.contains(stated) ?? false
    stream = StreamFormat(
      rate: isKnown ? SampleRate(stated) ?? .hz48000 : .hz48000, channels: channels, sample: .int16)
  }

  /// Returns the position (granule) after this number of decoded frames.
  func granule(after frames: FrameCount) -> Int64 {
    let product = Int128(frames.value) * Int128(SampleRate.hz48000.hertz)
    return Int64(clamping: product / Int128(stream.rate.hertz) + Int128(preSkip))
  }

  /// Returns the number of decoded frames of a stream up to this position (RFC 7845, 4).
  func frames(upTo granule: Int64) -> FrameCount {
    // A page from another program may state any position, so the product needs 128 bits. The
    // quotient fits into 64 bits, because no rate here is above 48 kHz.
    let product = Int128(max(0, granule - preSkip)) * Int128(stream.rate.hertz)
    return FrameCount(Int64(product / Int128(SampleRate.hz48000.hertz)))
  }
}

/// A scan over the pages of one stream of an Ogg file.
private struct OggPageScan {
  private let serial: UInt32
  /// The position after which no further page is needed.
  private let limit: Int64
  private var reach = UnitReach(OggExtent())

  init(_ first: OggPage, upTo limit: Int64) {
    serial = first.serial
    self.limit = limit
    take(first)
  }

  /// The pages to keep in a repaired file, and whether they have a gap.
  var kept: (extent: OggExtent, hasGap: Bool) { reach.kept(at: .hz48000) { $0.granule } }

  mutating func take(_ page: OggPage) {
    guard page.serial == serial, page.granule <= FrameCount.most.value, isInSequence(page),
      reach.last.granule < limit
    else { return }
    var extent = reach.last
    extent.end = page.range.upperBound
    extent.sequence = page.sequence
    extent.isEnded = page.isLast
    if page.granule >= 0 {
      extent.granule = page.granule
      extent.lastPage = page.range
    }
    reach.advance(to: extent, isAfterGap: page.range.lowerBound > reach.last.end)
  }

  /// Returns whether a page can be the next page of the stream. If pages are missing, the bytes
  /// since the last page must have space for the missing pages.
  private func isInSequence(_ page: OggPage) -> Bool {
    let last = reach.last
    let offset = page.range.lowerBound
    if offset == 0 { return page.sequence == 0 }
    let lost = Int64(page.sequence) - Int64(last.sequence) - 1
    return !last.isEnded && lost >= 0 && lost <= (offset - last.end) / Self.leastPageBytes
      && (page.granule >= last.granule || page.granule == -1)
  }

  /// The size of a page without segments.
  private static let leastPageBytes: Int64 = 27
}

/// The extent of the pages that were found in an Ogg file.
private struct OggExtent: Hashable {
  /// The offset in the file after the last page, and the sequence number of this page.
  var end: Int64 = 0
  var sequence: UInt32 = 0
  /// The last page on which a packet ends. A stream can only end on such a page.
  var lastPage: Range<Int64> = 0..<0
  /// The position that `lastPage` states, in samples at 48 kHz.
  var granule: Int64 = 0
  /// Whether the last page is marked as the end of its stream.
  var isEnded = false
}
