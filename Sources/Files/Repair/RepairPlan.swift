package import Audio

/// The repair of a file that a recorder left when it was killed, in numbers alone.
///
/// Reading and writing are apart: a process that may do nothing else reads the file and makes the
/// plan, and the one that may write carries it out and reads nothing.
package struct RepairPlan: Hashable, Sendable {
  /// The change at the end of the file and in its header.
  package enum Work: Hashable, Sendable {
    /// The header of a WAV file is written anew, and the file ends behind the samples; nothing is
    /// done to one that is intact.
    case wave(isIntact: Bool)
    /// The header of a CAF or an AIFF file is written anew, and the file ends behind the samples;
    /// nothing is done to one that is intact.
    case apple(FileFormat, isIntact: Bool)
    /// Raw samples end behind the last whole frame.
    case raw
    /// A FLAC file ends there, and its header gets these numbers; nil where it has them.
    case flac(end: Int64, FLACStatement?)
    /// An Opus file ends there, and its last page says so; nil where it does.
    case opus(end: Int64, OggEnding?)
  }

  /// The form of the samples in the file.
  package let stream: StreamFormat
  /// The frames that the repaired file holds, at its own rate.
  package let frames: FrameCount
  package let work: Work
  /// True if a part in the middle is damaged that no crash explains; what follows it is kept.
  package let hasGap: Bool

  package init(_ stream: StreamFormat, frames: FrameCount, _ work: Work, hasGap: Bool = false) {
    self.stream = stream
    self.frames = frames
    self.work = work
    self.hasGap = hasGap
  }

  /// The same for a WAV file to which something was added since.
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

  /// True for numbers that a file of `size` bytes can have: whoever read it may have been broken by
  /// what it read.
  func fits(_ size: Int64) -> Bool {
    guard frames >= 0, frames <= .most else { return false }
    switch work {
    case .wave: return fitsSamples(size - Int64(WaveHeader(stream).count))
    case .apple(let format, _):
      guard let header = AppleHeader(format, stream) else { return false }
      return fitsSamples(size - Int64(header.count))
    case .raw: return fitsSamples(size)
    case .flac(let end, let statement):
      let headerEnd = FLACStatement.place + FLACStatement.mostBytes
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

  /// The bytes of the samples of a file that holds them as they are.
  var sampleBytes: Int64 { frames.value * Int64(stream.bytesPerFrame) }
}

/// The result of the recovery of a file.
package struct Recovery: Hashable, Sendable {
  /// The frames that the file holds, at its own rate.
  package let frames: FrameCount
  /// The bytes that were cut off behind the last whole frame, block or page.
  package let removedBytes: Int64
  /// True if there was nothing to repair; then nothing was written.
  package let wasIntact: Bool
  /// True if a part in the middle has damage that no crash explains; the audio after it was kept.
  package let hasGap: Bool

  init(frames: FrameCount, removedBytes: Int64, wasIntact: Bool, hasGap: Bool = false) {
    self.frames = frames
    self.removedBytes = removedBytes
    self.wasIntact = wasIntact
    self.hasGap = hasGap
  }

  /// The recorder was killed before the first audio reached the file, which is left as it is.
  package static let nothing = Recovery(frames: 0, removedBytes: 0, wasIntact: true)

  /// True if nothing was captured.
  package var isEmpty: Bool { frames == 0 }
}

extension CheckedFile {
  /// Repairs the file of a killed recorder: cuts off a torn end, and corrects the header for the
  /// rest.
  ///
  /// The result is on the disk before this returns. Repeating it is harmless, and no file grows,
  /// but for the byte that pads a WAV or an AIFF file to an even length. A file without audio stays as it is;
  /// the result reports that.
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
    case .caf, .aiff: return try applePlan(format)
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
    case .apple(let format, let isIntact):
      return try repairApple(plan, format, isIntact: isIntact)
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
