internal import Audio

extension CheckedFile {
  /// Finds the last whole frame, and the numbers for the repaired header.
  func flacPlan() throws(SoundFileError) -> RepairPlan? {
    try checkBeginning(["fLaC"])
    let head = try bytes(at: 0, upTo: FLACStreamInfo.offset + FLACStreamInfo.count)
    guard head.count == FLACStreamInfo.offset + FLACStreamInfo.count else { return nil }
    guard let info = FLACStreamInfo(parsing: head), let stream = info.stream else {
      throw .notRepairable(subject: label)
    }
    let start = try flacAudioStart(head)
    var scan = FLACFrameScan(info, from: start)
    try self.scan(&scan, from: start)
    let (extent, hasGap) = scan.kept
    if extent.frames == 0 { return nil }
    return RepairPlan(
      stream, frames: FrameCount(extent.frames),
      .flac(end: extent.end, info.correction(for: extent)), hasGap: hasGap)
  }

  /// Returns the offset of the first frame, after all metadata blocks (RFC 9639, 8.1).
  private func flacAudioStart(_ head: [UInt8]) throws(SoundFileError) -> Int64 {
    var offset = Int64(head.count)
    var isLast = head[4] & 0x80 != 0
    while !isLast {
      let block = try bytes(at: offset, upTo: 4)
      guard block.count == 4 else { return end }
      isLast = block[0] & 0x80 != 0
      offset += 4 + block.dropFirst().reduce(0) { $0 << 8 | Int64($1) }
    }
    return offset
  }
}

/// A scan over the frames of a FLAC file.
private struct FLACFrameScan: UnitScan {
  private let info: FLACStreamInfo
  private var reach: UnitReach<FLACExtent>

  /// - Parameter start: the offset of the first frame.
  init(_ info: FLACStreamInfo, from start: Int64) {
    self.info = info
    reach = UnitReach(FLACExtent(end: start))
  }

  /// The frames to keep in a repaired file, and whether they have a gap.
  var kept: (extent: FLACExtent, hasGap: Bool) { reach.kept(at: info.rate) { $0.frames } }

  mutating func take(_ bytes: Span<UInt8>, at offset: Int64) throws(UnitFlaw) -> Int {
    // The first byte rules out most positions where no frame begins.
    guard bytes[0] == 0xFF else { throw .invalid }
    let frame = try FLACFrame(parsing: bytes, of: info)
    let start = frame.header.start(in: info)
    guard isInSequence(start, at: offset) else { throw .invalid }
    let sizes = reach.last.frameBytes
    let least = sizes.lowerBound == 0 ? frame.byteCount : min(sizes.lowerBound, frame.byteCount)
    let extent = FLACExtent(
      end: offset + Int64(frame.byteCount), frames: start + Int64(frame.header.blockSize),
      frameBytes: least...max(sizes.upperBound, frame.byteCount))
    reach.advance(to: extent, isAfterGap: offset > reach.last.end)
    return frame.byteCount
  }

  /// Whether a frame can begin with this sample. No more frames can be lost than the skipped bytes
  /// can have held.
  private func isInSequence(_ start: Int64, at offset: Int64) -> Bool {
    let lost = start - reach.last.frames
    let mostFrames = (offset - reach.last.end) / Self.leastFrameBytes
    return lost >= 0 && lost <= mostFrames * Int64(info.blockSize)
  }

  /// The size of the smallest frame: a header of 6 bytes, one constant sample in 2, and a checksum
  /// of 2.
  private static let leastFrameBytes: Int64 = 10
}
