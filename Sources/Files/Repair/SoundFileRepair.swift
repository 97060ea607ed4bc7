package import Audio

/// The repair of a file whose recording process was killed.
package enum SoundFileRepair {
  /// Returns the plan to repair a file whose recording process was killed, or nil if the file
  /// contains no audio. The file is only read.
  ///
  /// - Parameters:
  ///   - stream: the format of the samples of a raw file. Any other file states this format itself.
  ///   - most: the maximum number of frames to keep. A FLAC file may keep fewer, because it is cut
  ///     at the end of a FLAC frame.
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
    case .ogg, .mp3, .w64: throw .notRepairable(subject: file.label, .foreignHeader)
    case .raw:
      guard let stream else { throw .notRepairable(subject: file.label, .foreignHeader) }
      return RepairPlan(raw: stream, bytes: file.end)?.shortened(to: most)
    }
  }
}
