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

  private var header: (any SoundFileHeader)? {
    SoundFileSettings(format: format, stream: stream).header
  }

  /// Whether a file of `size` bytes can have these numbers. The numbers are not trusted, because
  /// the file may have exploited a bug in the process that read it.
  func fits(_ size: Int64) -> Bool {
    guard frames >= 0, frames <= .most else { return false }
    switch work {
    case .wave, .apple: return header.map { fitsSamples(size - Int64($0.count)) } ?? false
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

extension RepairPlan {
  /// Throws if the file begins with another format. For a torn file, a part of the name is enough.
  static func checkBeginning(of file: CheckedFile, _ names: [String]) throws(SoundFileError) {
    let found = try file.bytes(at: 0, upTo: 4)
    guard names.contains(where: { $0.utf8.starts(with: found) }) else {
      throw .notRepairable(subject: file.label)
    }
  }

  /// Carries out the plan. It only writes. Throws `notRepairable` if the file cannot have the
  /// plan's numbers.
  package func carryOut(on file: CheckedFile) throws(SoundFileError) -> Recovery {
    guard fits(file.end) else { throw .notRepairable(subject: file.label) }
    switch work {
    case .wave(let isIntact), .apple(_, let isIntact):
      guard let header else { throw .notRepairable(subject: file.label) }
      return try rewrite(header, of: file, isIntact)
    case .raw: return try cut(file, to: sampleBytes)
    case .flac(let end, let statement):
      return try cut(file, to: end, replacing: statement.map { ($0.bytes, FLACStatement.offset) })
    case .opus(let end, let ending):
      return try cut(file, to: end, replacing: ending.map { ($0.bytes, $0.offset) })
    }
  }

  /// Ends a file after its samples, unless it is intact.
  private func rewrite(
    _ header: any SoundFileHeader, of file: CheckedFile, _ isIntact: Bool
  ) throws(SoundFileError) -> Recovery {
    let size = file.end
    if !isIntact {
      try header.end(file, audio: sampleBytes, tail: [])
      try file.finish()
    }
    return Recovery(frames: frames, removedBytes: max(0, size - file.end), wasIntact: isIntact)
  }

  /// Truncates the file to `length`, then replaces the bytes that state its length if they are
  /// wrong.
  ///
  /// With this order, a crash in between leaves a header that the next recovery corrects.
  private func cut(
    _ file: CheckedFile, to length: Int64, replacing patch: (bytes: [UInt8], offset: Int64)? = nil
  ) throws(SoundFileError) -> Recovery {
    let removed = file.end - length
    let isIntact = removed == 0 && patch == nil
    if removed > 0 { try file.truncate(to: length) }
    if let patch { try unsafe file.write(patch.bytes.span.bytes, at: patch.offset) }
    if !isIntact { try file.finish() }
    return Recovery(
      frames: frames, removedBytes: removed, wasIntact: isIntact, hasGap: hasGap)
  }
}
