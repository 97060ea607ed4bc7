internal import Audio

/// The repair of a FLAC file: finds the last whole frame, and the correct numbers for the header.
enum FLACRepair {
  /// Returns the plan to keep the FLAC frames up to the audio frame `most`, or nil if there is no
  /// such FLAC frame. The file is only read.
  static func plan(
    for file: CheckedFile, upTo most: FrameCount
  ) throws(SoundFileError) -> RepairPlan? {
    try RepairPlan.checkBeginning(of: file, ["fLaC"])
    let head = try file.bytes(at: 0, upTo: FLACStreamInfo.offset + FLACStreamInfo.count)
    guard head.count == FLACStreamInfo.offset + FLACStreamInfo.count else { return nil }
    guard let info = FLACStreamInfo(parsing: head), let stream = info.stream else {
      throw .notRepairable(subject: file.label, .foreignHeader)
    }
    // libFLAC stops after the number of frames that the header states, but the file may contain
    // more frames. So the header in the view states 0, which means unknown.
    let view = try FLACStreamInfo.view(FileView(0..<file.end), stating: 0, of: file)
    var frames = try FLACFrames(view, of: file)
    var scan = FLACFrameScan(info, from: frames.offset)
    while let frame = try frames.next() {
      if frame.samples.upperBound <= most.value { scan.take(frame) }
    }
    let (extent, hasGap) = scan.kept
    if extent.frames == 0 { return nil }
    let patch = info.correction(for: extent)
    return RepairPlan(
      .flac, stream, frames: FrameCount(extent.frames), end: extent.end, patch,
      isIntact: patch == nil && extent.end == file.end, hasGap: hasGap)
  }
}

/// A scan of a FLAC file for the frames that are in sequence.
private struct FLACFrameScan {
  private let info: FLACStreamInfo
  private var reach: UnitReach<FLACExtent>
  /// Whether a gap precedes the next frame.
  private var isAfterGap = false

  /// - Parameter start: the offset of the first frame.
  init(_ info: FLACStreamInfo, from start: Int64) {
    self.info = info
    reach = UnitReach(FLACExtent(end: start))
  }

  /// The frames to keep in a repaired file, and whether they have a gap.
  var kept: (extent: FLACExtent, hasGap: Bool) { reach.kept(at: info.rate) { $0.frames } }

  mutating func take(_ frame: FLACFrame) {
    let last = reach.last
    isAfterGap = isAfterGap || frame.isAfterDamage
    guard frame.fits(info), isInSequence(frame) else { return isAfterGap = true }
    var sizes = last.frameBytes
    // After a gap, the beginning of the frame is unknown, so its size is also unknown.
    if !isAfterGap {
      let size = Int(frame.end - last.end)
      sizes =
        min(sizes.lowerBound == 0 ? size : sizes.lowerBound, size)...max(sizes.upperBound, size)
    }
    let extent = FLACExtent(end: frame.end, frames: frame.samples.upperBound, frameBytes: sizes)
    reach.advance(to: extent, isAfterGap: isAfterGap)
    isAfterGap = false
  }

  /// Returns whether a frame can be the next frame of the stream. If frames are missing, the bytes
  /// since the last frame must have space for the missing frames.
  private func isInSequence(_ frame: FLACFrame) -> Bool {
    let lost = frame.samples.lowerBound - reach.last.frames
    let mostFrames = isAfterGap ? (frame.end - reach.last.end) / Self.leastFrameBytes : 0
    return lost >= 0 && lost <= mostFrames * Int64(info.blockSize)
  }

  /// The size of the smallest frame in bytes: 6 for the header, 2 for one constant sample, and 2
  /// for the checksum.
  private static let leastFrameBytes: Int64 = 10
}
