package import Audio

/// The repair of a file that a killed recorder left, as numbers only.
///
/// Reading and writing are separate. A process without other rights reads the file and makes the
/// plan. A process that may write carries the plan out and reads nothing.
package struct RepairPlan: Hashable, Sendable {
  /// The changes to the end of the file and to its header.
  package enum Work: Hashable, Sendable {
    /// Rewrite the header of a WAV file and end the file after the samples. An intact file is not
    /// changed.
    case wave(isIntact: Bool)
    /// Rewrite the header of a CAF or AIFF file and end the file after the samples. An intact file
    /// is not changed.
    case apple(FileFormat, isIntact: Bool)
    /// End raw samples after the last whole frame.
    case raw
    /// End a FLAC file at `end`. Write these numbers to its header, or do not change the header if
    /// nil.
    case flac(end: Int64, FLACStatement?)
    /// End an Opus file at `end`. Mark its last page as the end of the stream, or do not change the
    /// page if nil.
    case opus(end: Int64, OggEnding?)
  }

  /// The format of the samples in the file.
  package let stream: StreamFormat
  /// The number of frames in the repaired file, at its own rate.
  package let frames: FrameCount
  package let work: Work
  /// Whether the middle of the file has damage that a crash does not explain. The audio after it is
  /// kept.
  package let hasGap: Bool

  package init(_ stream: StreamFormat, frames: FrameCount, _ work: Work, hasGap: Bool = false) {
    self.stream = stream
    self.frames = frames
    self.work = work
    self.hasGap = hasGap
  }

  /// The same plan for a WAV file to which data was appended later.
  package var withoutTail: RepairPlan { RepairPlan(stream, frames: frames, .wave(isIntact: false)) }

  package var format: FileFormat {
    switch work {
    case .wave: .wav
    case .apple(let format, _): format
    case .raw: .raw
    case .flac: .flac
    case .opus: .opus
    }
  }

  /// Whether a file of `size` bytes can have these numbers. The numbers are not trusted, because
  /// the file may have exploited a bug in the process that read it.
  func fits(_ size: Int64) -> Bool {
    guard frames >= 0, frames <= .most else { return false }
    switch work {
    case .wave: return fitsSamples(size - Int64(WaveHeader(stream).count))
    case .apple(let format, _):
      guard let header = AppleHeader(format, stream) else { return false }
      return fitsSamples(size - Int64(header.count))
    case .raw: return fitsSamples(size)
    case .flac(let end, let statement):
      let headerEnd = FLACStatement.offset + FLACStatement.mostBytes
      return end >= headerEnd && end <= size && statement?.isPlain != false
    case .opus(let end, let ending):
      guard (0...size).contains(end) else { return false }
      guard let ending else { return true }
      return ending.page >= 0 && ending.page <= end - OggEnding.leastPage
    }
  }

  private func fitsSamples(_ room: Int64) -> Bool {
    let (bytes, overflow) = frames.value.multipliedReportingOverflow(
      by: Int64(stream.bytesPerFrame))
    return !overflow && bytes <= room
  }

  /// The size of the samples in bytes, for a file that stores them unencoded.
  var sampleBytes: Int64 { frames.value * Int64(stream.bytesPerFrame) }
}

/// The result of the recovery of a file.
package struct Recovery: Hashable, Sendable {
  /// The number of frames in the file, at its own rate.
  package let frames: FrameCount
  /// The number of bytes that were cut off after the last whole frame, block or page.
  package let removedBytes: Int64
  /// Whether there was nothing to repair. Then nothing was written.
  package let wasIntact: Bool
  /// Whether the middle of the file has damage that a crash does not explain. The audio after it
  /// was kept.
  package let hasGap: Bool

  init(frames: FrameCount, removedBytes: Int64, wasIntact: Bool, hasGap: Bool = false) {
    self.frames = frames
    self.removedBytes = removedBytes
    self.wasIntact = wasIntact
    self.hasGap = hasGap
  }

  /// The result if the recorder was killed before any audio reached the file. The file is not
  /// changed.
  package static let nothing = Recovery(frames: 0, removedBytes: 0, wasIntact: true)

  /// Whether nothing was captured.
  package var isEmpty: Bool { frames == 0 }
}

extension CheckedFile {
  /// Repairs the file of a killed recorder: cuts off a torn end and corrects the header.
  ///
  /// The result is on the disk before this returns. Repeating it is harmless. No file grows, except
  /// for the byte that pads a WAV or an AIFF file to an even length. A file without audio is not
  /// changed, and the result reports that.
  ///
  /// - Parameter stream: the format of a raw file's samples; any other file states it.
  package func recover(
    as format: FileFormat, stream: StreamFormat? = nil
  ) throws(SoundFileError) -> Recovery {
    guard let plan = try repairPlan(as: format, stream: stream) else { return .nothing }
    return try carryOut(plan)
  }

  /// Returns the plan to repair the file of a killed recorder, or nil if no audio reached it. It
  /// only reads the file.
  package func repairPlan(
    as format: FileFormat, stream: StreamFormat? = nil
  ) throws(SoundFileError) -> RepairPlan? {
    switch format {
    case .wav: return try recoveredWavePlan()
    case .flac: return try flacPlan()
    case .opus: return try opusPlan()
    case .caf, .aiff: return try applePlan(format)
    case .raw:
      guard let stream else { throw .notRepairable(subject: label) }
      let frames = end / Int64(stream.bytesPerFrame)
      return frames == 0 ? nil : RepairPlan(stream, frames: FrameCount(frames), .raw)
    }
  }

  /// Carries out a plan. It only writes. Throws `notRepairable` if the file cannot have the plan's
  /// numbers.
  package func carryOut(_ plan: RepairPlan) throws(SoundFileError) -> Recovery {
    guard plan.fits(end) else { throw .notRepairable(subject: label) }
    switch plan.work {
    case .wave(let isIntact): return try repairWave(plan, isIntact: isIntact)
    case .apple(let format, let isIntact):
      return try repairApple(plan, format, isIntact: isIntact)
    case .raw: return try cut(to: plan.sampleBytes, for: plan)
    case .flac(let end, let statement):
      return try cut(
        to: end, replacing: statement.map { ($0.bytes, FLACStatement.offset) }, for: plan)
    case .opus(let end, let ending):
      return try cut(to: end, replacing: ending.map { ($0.bytes, $0.offset) }, for: plan)
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

  /// Throws if the file begins with another format. For a torn file, a part of the name is enough.
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

  /// Truncates the file to `length`, then replaces the bytes that state its length if they are
  /// wrong.
  ///
  /// With this order, a crash in between leaves a header that the next recovery corrects.
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
