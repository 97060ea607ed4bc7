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
    guard let plan = try repairPlan(as: format, stream: stream) else { return .nothing }
    return try carryOut(plan)
  }

  /// Finds out by reading alone how the file of a recorder that was killed is made whole; nil where
  /// no audio reached it.
  package func repairPlan(
    as format: FileFormat, stream: StreamFormat? = nil
  ) throws(SoundFileError) -> RepairPlan? {
    switch format {
    case .wav: return try recoveredWavePlan()
    case .flac: return try flacPlan()
    case .opus: return try opusPlan()
    case .raw:
      guard let stream else { throw .notRepairable(subject: label) }
      let frames = end / Int64(stream.bytesPerFrame)
      return frames == 0 ? nil : RepairPlan(stream, frames: FrameCount(frames), .raw)
    }
  }

  /// Carries a plan out by writing alone; throws `notRepairable` for numbers that this file cannot
  /// have.
  package func carryOut(_ plan: RepairPlan) throws(SoundFileError) -> Recovery {
    guard plan.fits(end) else { throw .notRepairable(subject: label) }
    switch plan.work {
    case .wave(let isIntact): return try repairWave(plan, isIntact: isIntact)
    case .raw: return try cut(to: plan.sampleBytes, for: plan)
    case .flac(let end, let statement):
      return try cut(
        to: end, replacing: statement.map { ($0.bytes, FLACStatement.place) }, for: plan)
    case .opus(let end, let ending):
      return try cut(to: end, replacing: ending.map { ($0.bytes, $0.place) }, for: plan)
    }
  }

  private func recoveredWavePlan() throws(SoundFileError) -> RepairPlan? {
    try checkBeginning(["RIFF", "RF64"])
    do {
      return try wavePlan()
    } catch .notRepairable where end < Int64(WaveHeader.mostBytes) {
      return nil
    }
  }

  /// Throws where another format begins; of a torn file a part of the name is enough.
  func checkBeginning(_ names: [String]) throws(SoundFileError) {
    let found = try bytes(at: 0, upTo: 4)
    guard names.contains(where: { $0.utf8.starts(with: found) }) else {
      throw .notRepairable(subject: label)
    }
  }

  private func repairWave(
    _ plan: RepairPlan, isIntact: Bool
  ) throws(SoundFileError) -> Recovery {
    let size = end
    if !isIntact {
      try endWave(WaveHeader(plan.stream), audio: plan.sampleBytes, tail: [])
      try finish()
    }
    return Recovery(
      frames: plan.frames, removedBytes: max(0, size - end), wasIntact: isIntact)
  }

  /// Ends the file at `length`, then replaces the bytes that state its length, if they are wrong.
  ///
  /// In this order a crash in between leaves a header that the next recovery finds wrong again.
  private func cut(
    to length: Int64, replacing patch: (bytes: [UInt8], offset: Int64)? = nil, for plan: RepairPlan
  ) throws(SoundFileError) -> Recovery {
    let removed = end - length
    let isIntact = removed == 0 && patch == nil
    if removed > 0 { try truncate(to: length) }
    if let patch { try unsafe write(patch.bytes.span.bytes, at: patch.offset) }
    if !isIntact { try finish() }
    return Recovery(
      frames: plan.frames, removedBytes: removed, wasIntact: isIntact, hasGap: plan.hasGap)
  }
}
