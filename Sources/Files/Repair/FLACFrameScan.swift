/// Follows the frames of a FLAC file.
struct FLACFrameScan: UnitScan {
  private let info: FLACStreamInfo
  private var reach: UnitReach<FLACExtent>

  /// - Parameter start: the place of the first frame.
  init(_ info: FLACStreamInfo, from start: Int64) {
    self.info = info
    reach = UnitReach(FLACExtent(end: start))
  }

  /// The frames that a repaired file keeps.
  var kept: (extent: FLACExtent, hasGap: Bool) { reach.kept(at: info.rate) { $0.frames } }

  mutating func take(_ bytes: Span<UInt8>, at offset: Int64) throws(UnitFlaw) -> Int {
    // The first byte rules out most places that begin no frame.
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

  /// True where a frame may begin with this sample, as many being lost as the bytes before it can have held.
  private func isInSequence(_ start: Int64, at offset: Int64) -> Bool {
    let lost = start - reach.last.frames
    let mostFrames = (offset - reach.last.end) / Self.leastFrameBytes
    return lost >= 0 && lost <= mostFrames * Int64(info.blockSize)
  }

  /// A header of 6, one constant sample in 2, a checksum of 2.
  private static let leastFrameBytes: Int64 = 10
}
