package import Audio

/// The plan to repair a file whose recording process was killed. The plan contains only numbers.
///
/// Reading and writing are separate. A confined process reads the file and makes the plan. Another
/// process carries out the plan, and only writes to the file.
package struct RepairPlan: Hashable, Sendable {
  package var format: FileFormat
  /// The format of the samples in the file.
  package var stream: StreamFormat
  /// The number of frames in the repaired file, at the rate of the file.
  package var frames: FrameCount
  /// The size of the repaired file in bytes. Nil for an unencoded file, because it ends after its
  /// samples.
  package var end: Int64?
  /// The correction of the numbers that depend on an encoded file's length, or nil if they are
  /// correct.
  package var patch: FilePatch?
  /// Whether the file needs no repair. If so, nothing is written.
  package var isIntact: Bool
  /// Whether the middle of the file has damage that a crash does not explain. The audio after the
  /// damage is kept.
  package var hasGap: Bool

  package init(
    _ format: FileFormat, _ stream: StreamFormat, frames: FrameCount, end: Int64? = nil,
    _ patch: FilePatch? = nil, isIntact: Bool = false, hasGap: Bool = false
  ) {
    self.format = format
    self.stream = stream
    self.frames = frames
    self.end = end
    self.patch = patch
    self.isIntact = isIntact
    self.hasGap = hasGap
  }

  /// The plan for a file with `bytes` bytes of raw samples, or nil if the file has no whole frame.
  package init?(raw stream: StreamFormat, bytes: Int64) {
    self.init(.raw, stream, frames: FrameCount(bytes / Int64(stream.bytesPerFrame)))
    if frames == 0 { return nil }
    isIntact = sampleBytes == bytes
  }

  /// Returns the plan limited to `most` frames, or nil if no frame remains. The file must store its
  /// samples unencoded.
  package func shortened(to most: FrameCount) -> RepairPlan? {
    guard frames > most else { return self }
    guard most > 0 else { return nil }
    var plan = self
    (plan.frames, plan.isIntact) = (most, false)
    return plan
  }

  private var header: (any SoundFileHeader)? {
    SoundFileSettings(format: format, stream: stream).header
  }

  /// Returns whether the numbers of the plan fit a file of `size` bytes. The numbers are not
  /// trusted, because a malicious file may have exploited a bug in the process that read the file.
  func fits(_ size: Int64) -> Bool {
    let last = end ?? size
    guard frames >= 0, frames <= .most, (0...size).contains(last), patch?.fits(last) ?? true
    else { return false }
    if header == nil, end != nil { return true }
    let (bytes, overflow) = frames.value.multipliedReportingOverflow(
      by: Int64(stream.bytesPerFrame))
    return !overflow && bytes <= size - Int64(header?.count ?? 0)
  }

  /// The size of the samples in bytes, for a file that stores them unencoded.
  var sampleBytes: Int64 { frames.value * Int64(stream.bytesPerFrame) }
}

/// The result of the recovery of a file.
package struct Recovery: Hashable, Sendable {
  /// The number of frames in the file, at the rate of the file.
  package let frames: FrameCount
  /// The number of bytes that were cut off after the last whole frame, block or page.
  package let removedBytes: Int64
  /// Whether the middle of the file has damage that a crash does not explain. The audio after the
  /// damage was kept.
  package var hasGap = false

  /// Whether the file contains no frames.
  package var isEmpty: Bool { frames == 0 }
}

extension RepairPlan {
  /// Throws unless the file begins with one of `names`. A file that ends within a name is accepted.
  static func checkBeginning(of file: CheckedFile, _ names: [String]) throws(SoundFileError) {
    let found = try file.bytes(at: 0, upTo: 4)
    guard names.contains(where: { $0.utf8.starts(with: found) }) else {
      throw .notRepairable(subject: file.label, .foreignHeader)
    }
  }

  /// Carries out the plan: cuts off an incomplete end and corrects the header.
  ///
  /// The file is not read. When this function returns, the result is on the disk. Repeating the
  /// call is harmless. The file does not grow, except for the byte that pads a WAV or AIFF file to
  /// an even length. Throws `notRepairable` if the plan does not fit the file.
  package func carryOut(on file: CheckedFile) throws(SoundFileError) -> Recovery {
    let size = file.end
    guard fits(size) else { throw .notRepairable(subject: file.label, .unfitPlan) }
    if !isIntact {
      if let header {
        try header.end(file, audio: sampleBytes, tail: [])
      } else {
        try cut(file)
      }
      try file.finish()
    }
    return Recovery(frames: frames, removedBytes: max(0, size - file.end), hasGap: hasGap)
  }

  /// Truncates the file. Then replaces the bytes that state its length.
  ///
  /// With this order, the next recovery can correct the file after a crash between the two steps.
  private func cut(_ file: CheckedFile) throws(SoundFileError) {
    let end = end ?? sampleBytes
    if file.end > end { try file.truncate(to: end) }
    try patch?.write(to: file)
  }
}
