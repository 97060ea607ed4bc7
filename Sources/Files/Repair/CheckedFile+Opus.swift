internal import Audio

extension CheckedFile {
  /// Cuts off everything behind the last whole page and marks that as the end of the stream.
  func recoverOpus() throws(SoundFileError) -> Recovery {
    try checkBeginning(["OggS"])
    guard let head = try opusHead() else { return .nothing }
    var scan = OggPageScan(serial: head.serial)
    try self.scan(&scan, from: 0)
    let (extent, hasGap) = scan.kept
    let frames = head.frames(upTo: extent.granule)
    if frames == 0 { return .nothing }
    let isEnded = extent.isEnded && extent.lastPage.upperBound == extent.end
    let page = isEnded ? [] : try bytes(at: extent.lastPage.lowerBound, upTo: extent.lastPage.count)
    return try cut(
      to: extent.lastPage.upperBound,
      replacing: isEnded ? nil : (OggPage.ending(page), extent.lastPage.lowerBound),
      frames: frames, hasGap: hasGap)
  }

  /// The head of the stream; nil where the file ends within it.
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
