internal import Audio

extension AppleHeader {
  /// Returns the plan to repair a CAF or AIFF file of this program, or nil if the file contains no
  /// samples. The file is only read.
  static func repairPlan(
    for file: CheckedFile, as format: FileFormat
  ) throws(SoundFileError) -> RepairPlan? {
    try RepairPlan.checkBeginning(of: file, [format == .caf ? "caff" : "FORM"])
    let head = try file.bytes(at: 0, upTo: mostBytes)
    guard let header = AppleHeader(parsing: head), header.format == format else {
      if file.end < Int64(mostBytes) { return nil }
      throw .notRepairable(subject: file.label, .foreignHeader)
    }
    let frame = Int64(header.stream.bytesPerFrame)
    let available = max(0, file.end - Int64(header.count)) / frame * frame
    if available == 0 { return nil }
    let stated = header.statedAudio(in: head)
    // The file may end with a padding byte, which is not audio.
    let endsThere = Int64(header.count) + header.stored(stated) == file.end
    let audio = endsThere && stated.isMultiple(of: frame) ? stated : available
    let isIntact =
      endsThere
      && header.bytes(audio: audio, end: file.end).elementsEqual(head.prefix(header.count))
    return RepairPlan(
      format, header.stream, frames: FrameCount(audio / frame), isIntact: isIntact)
  }
}
