package import Audio

extension CheckedFile {
  /// Repairs the file of a killed recorder: cuts off a torn end, and corrects the header for the rest.
  ///
  /// The result is on the disk before this returns. Repeating it is harmless, and no file grows, but for the byte
  /// that pads a WAV file to an even length. A file without audio stays as it is; the result reports that.
  ///
  /// - Parameter stream: the format of a raw file's samples; any other file states it.
  package func recover(
    as format: FileFormat, stream: StreamFormat? = nil
  ) throws(SoundFileError) -> Recovery {
    switch format {
    case .wav: return try recoverWave()
    case .flac: return try recoverFLAC()
    case .opus: return try recoverOpus()
    case .raw:
      guard let stream else { throw .notRepairable(subject: label) }
      return try recoverRaw(stream)
    }
  }

  private func recoverWave() throws(SoundFileError) -> Recovery {
    try checkBeginning(["RIFF", "RF64"])
    do {
      let repair = try repairWave()
      return Recovery(
        frames: repair.frames, removedBytes: repair.removedBytes, wasIntact: repair.wasIntact)
    } catch .notRepairable where end < Int64(WaveHeader.mostBytes) {
      return .nothing
    }
  }

  private func recoverRaw(_ stream: StreamFormat) throws(SoundFileError) -> Recovery {
    let frames = end / Int64(stream.bytesPerFrame)
    if frames == 0 { return .nothing }
    return try cut(to: frames * Int64(stream.bytesPerFrame), frames: FrameCount(frames))
  }

  /// Throws where another format begins; of a torn file a part of the name is enough.
  func checkBeginning(_ names: [String]) throws(SoundFileError) {
    let found = try bytes(at: 0, upTo: 4)
    guard names.contains(where: { $0.utf8.starts(with: found) }) else {
      throw .notRepairable(subject: label)
    }
  }

  /// Ends the file at `length`, then replaces the bytes that state its length, if they are wrong.
  ///
  /// In this order a crash in between leaves a header that the next recovery finds wrong again.
  func cut(
    to length: Int64, replacing patch: (bytes: [UInt8], offset: Int64)? = nil, frames: FrameCount,
    hasGap: Bool = false
  ) throws(SoundFileError) -> Recovery {
    let removed = end - length
    let isIntact = removed == 0 && patch == nil
    if removed > 0 { try truncate(to: length) }
    if let patch { try unsafe write(patch.bytes.span.bytes, at: patch.offset) }
    if !isIntact { try finish() }
    return Recovery(
      frames: frames, removedBytes: removed, wasIntact: isIntact, hasGap: hasGap)
  }
}
