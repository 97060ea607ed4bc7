internal import Audio

extension CheckedFile {
  /// Finds the last whole frame, and the numbers that the header is to have then.
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

  /// The place of the first frame: behind all blocks of metadata (RFC 9639, 8.1).
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
