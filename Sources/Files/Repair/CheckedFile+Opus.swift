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
