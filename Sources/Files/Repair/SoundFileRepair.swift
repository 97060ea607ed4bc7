package import Audio

/// The repair of a file that a killed recorder left.
package enum SoundFileRepair {
  /// Repairs the file of a killed recorder: cuts off a torn end and corrects the header.
  ///
  /// The result is on the disk before this returns. Repeating it is harmless. No file grows, except
  /// for the byte that pads a WAV or an AIFF file to an even length. A file without audio is not
  /// changed, and the result reports that.
  ///
  /// - Parameter stream: the format of a raw file's samples; any other file states it.
  package static func recover(
    _ file: CheckedFile, as format: FileFormat, stream: StreamFormat? = nil
  ) throws(SoundFileError) -> Recovery {
    try plan(for: file, as: format, stream: stream)?.carryOut(on: file) ?? .nothing
  }

  /// Returns the plan to repair the file of a killed recorder, or nil if no audio reached it. It
  /// only reads the file.
  ///
  /// - Parameter most: the most frames to keep. A FLAC file is cut at the end of a block, so it may
  ///   get fewer.
  package static func plan(
    for file: CheckedFile, as format: FileFormat, stream: StreamFormat? = nil,
    upTo most: FrameCount = .most
  ) throws(SoundFileError) -> RepairPlan? {
    switch format {
    case .wav: return try WaveRepair.recoveredPlan(for: file)?.shortened(to: most)
    case .flac: return try FLACRepair.plan(for: file, upTo: most)
    case .opus: return try OpusRepair.plan(for: file, upTo: most)
    case .caf, .aiff:
      return try AppleHeader.repairPlan(for: file, as: format)?.shortened(to: most)
    case .ogg, .mp3, .w64: throw .notRepairable(subject: file.label)
    case .raw:
      guard let stream else { throw .notRepairable(subject: file.label) }
      return RepairPlan(raw: stream, bytes: file.end)?.shortened(to: most)
    }
  }
}
