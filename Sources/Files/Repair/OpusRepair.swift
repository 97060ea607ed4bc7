internal import Audio

extension CheckedFile {
  /// Finds the last whole page, and the numbers that make it the end of the stream.
  func opusPlan() throws(SoundFileError) -> RepairPlan? {
    try checkBeginning(["OggS"])
    guard let head = try opusHead() else { return nil }
    var scan = OggPageScan(serial: head.serial)
    try self.scan(&scan, from: 0)
    let (extent, hasGap) = scan.kept
    let frames = head.frames(upTo: extent.granule)
    if frames == 0 { return nil }
    let isEnded = extent.isEnded && extent.lastPage.upperBound == extent.end
    let page = isEnded ? [] : try bytes(at: extent.lastPage.lowerBound, upTo: extent.lastPage.count)
    return RepairPlan(
      head.stream, frames: frames,
      .opus(
        end: extent.lastPage.upperBound,
        isEnded ? nil : OggPage.ending(page, at: extent.lastPage.lowerBound)),
      hasGap: hasGap)
  }

  /// Returns the head of the stream, or nil if the file ends within it.
  private func opusHead() throws(SoundFileError) -> OpusHead? {
    let head = try bytes(at: 0, upTo: OpusHead.mostBytes)
    do throws(UnitFlaw) {
      return try OpusHead(parsing: head)
    } catch {
      if error == .incomplete { return nil }
      throw .notRepairable(subject: label)
    }
  }
}

/// The first packet of an Opus stream, on a page of its own (RFC 7845, 5.1).
struct OpusHead: Hashable {
  /// The serial number of the stream in the file.
  let serial: UInt32
  /// The format of the decoded samples.
  let stream: StreamFormat
  private let preSkip: Int64

  /// The maximum size of its page: a page header, one segment, and a packet with a table of 255
  /// channels.
  static let mostBytes = 27 + 1 + 21 + 255

  /// Parses the beginning of a file. Throws if the first page is torn or belongs to another kind of
  /// stream.
  init(parsing head: [UInt8]) throws(UnitFlaw) {
    let page = try OggPage(parsing: head.span)
    let packet = head.prefix(page.byteCount).dropFirst(28)
    guard packet.starts(with: "OpusHead".utf8), packet.count >= 19 else { throw .invalid }
    serial = page.serial
    preSkip = Int64(head.number(at: 28 + 10, as: UInt16.self))
    // Any other rate only describes the source. Such a stream is decoded at 48 kHz.
    let stated = Int(head.number(at: 28 + 12, as: UInt32.self))
    let isKnown = FileFormat.opus.rates?.contains(stated) ?? false
    guard let channels = ChannelCount(Int(packet[packet.startIndex + 9])) else { throw .invalid }
    stream = StreamFormat(
      rate: isKnown ? SampleRate(stated) ?? .hz48000 : .hz48000, channels: channels, sample: .int16)
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
private struct OggPageScan: UnitScan {
  private let serial: UInt32
  private var reach = UnitReach(OggExtent())

  init(serial: UInt32) { self.serial = serial }

  /// The pages to keep in a repaired file, and whether they have a gap.
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

  /// Whether a page can come next. No more pages can be lost than the skipped bytes can have held.
  private func isInSequence(_ page: OggPage, at offset: Int64) -> Bool {
    let last = reach.last
    if offset == 0 { return page.sequence == 0 }
    let lost = Int64(page.sequence) - Int64(last.sequence) - 1
    return !last.isEnded && lost >= 0 && lost <= (offset - last.end) / Self.leastPageBytes
      && (page.granule >= last.granule || page.granule == -1)
  }

  /// The size of a page without segments.
  private static let leastPageBytes: Int64 = 27
}

/// The extent of the pages found in an Ogg file.
private struct OggExtent: Hashable {
  /// The end of the last page in the file, and its sequence number.
  var end: Int64 = 0
  var sequence: UInt32 = 0
  /// The last page on which a packet ends. A stream can only end on such a page.
  var lastPage: Range<Int64> = 0..<0
  /// The position that this page states, in samples at 48 kHz.
  var granule: Int64 = 0
  /// Whether the last page is marked as the end of its stream.
  var isEnded = false
}
