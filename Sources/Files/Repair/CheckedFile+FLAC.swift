internal import Audio

extension CheckedFile {
  /// Cuts off everything behind the last whole frame and writes the facts of the rest into the file's header.
  func recoverFLAC() throws(SoundFileError) -> Recovery {
    try checkBeginning(["fLaC"])
    let head = try bytes(at: 0, upTo: FLACStreamInfo.offset + FLACStreamInfo.count)
    guard head.count == FLACStreamInfo.offset + FLACStreamInfo.count else { return .nothing }
    guard let info = FLACStreamInfo(parsing: head) else { throw .notRepairable(subject: label) }
    let start = try flacAudioStart(head)
    var scan = FLACFrameScan(info, from: start)
    try self.scan(&scan, from: start)
    let (extent, hasGap) = scan.kept
    if extent.frames == 0 { return .nothing }
    let stated = info.stating(extent)
    return try cut(
      to: extent.end,
      replacing: stated == info ? nil : (stated.bytes, Int64(FLACStreamInfo.offset)),
      frames: FrameCount(extent.frames), hasGap: hasGap)
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
