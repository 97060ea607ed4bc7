internal import Audio

extension CheckedFile {
  /// Returns the plan to repair a CAF or AIFF file of this program, or nil if it contains no
  /// samples. It only reads the file.
  func applePlan(_ format: FileFormat) throws(SoundFileError) -> RepairPlan? {
    try checkBeginning([format == .caf ? "caff" : "FORM"])
    let head = try bytes(at: 0, upTo: AppleHeader.mostBytes)
    guard let header = AppleHeader(parsing: head), header.format == format else {
      if end < Int64(AppleHeader.mostBytes) { return nil }
      throw .notRepairable(subject: label)
    }
    let frame = Int64(header.stream.bytesPerFrame)
    let available = max(0, end - Int64(header.count)) / frame * frame
    if available == 0 { return nil }
    let stated = header.statedAudio(in: head)
    // There may be a padding byte after the samples. It is not a frame.
    let endsThere = Int64(header.count) + header.stored(stated) == end
    let audio = endsThere && stated.isMultiple(of: frame) ? stated : available
    let isIntact =
      endsThere && header.bytes(audio: audio, end: end).elementsEqual(head.prefix(header.count))
    return RepairPlan(
      header.stream, frames: FrameCount(audio / frame), .apple(format, isIntact: isIntact))
  }

  /// Ends the file after its samples and `tail`. The header with the size is written first, so a
  /// crash in between leaves a file that the next recovery corrects.
  func endApple(
    _ header: AppleHeader, audio: Int64, tail: [UInt8] = []
  ) throws(SoundFileError) {
    let audioEnd = Int64(header.count) + audio
    try writeHeader(header, audio: audio, end: audioEnd)
    if end > audioEnd { try truncate(to: audioEnd) }
    let padding = [UInt8](repeating: 0, count: Int(header.stored(audio) - audio))
    if !padding.isEmpty { try unsafe write(padding.span.bytes, at: audioEnd) }
    guard !tail.isEmpty else { return }
    try unsafe write(tail.span.bytes, at: end)
    if let size = header.sizeOfAll(end) { try unsafe write(size.span.bytes, at: 4) }
  }

  /// Carries out the repair plan of a CAF or AIFF file.
  func repairApple(
    _ plan: RepairPlan, _ format: FileFormat, isIntact: Bool
  ) throws(SoundFileError) -> Recovery {
    guard let header = AppleHeader(format, plan.stream) else {
      throw .notRepairable(subject: label)
    }
    let size = end
    if !isIntact {
      try endApple(header, audio: plan.sampleBytes)
      try finish()
    }
    return Recovery(
      frames: plan.frames, removedBytes: max(0, size - end), wasIntact: isIntact)
  }
}
