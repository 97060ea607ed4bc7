internal import Audio

/// The plan for a repaired copy of a WAV file from any program. The copy contains the beginning of
/// the file, with some numbers replaced.
///
/// Everything up to the last whole frame or chunk is kept. Only the sizes are corrected. So the
/// copy has the encoding and the texts of the file. If the sizes need 64 bits, the copy is RF64.
package struct WaveCopy: Hashable, Sendable {
  /// The bytes that replace the first 12 bytes of the file. If the copy becomes RF64, these bytes
  /// include the 64-bit sizes.
  package let head: [UInt8]
  /// The number of bytes of the file to keep, from the beginning.
  package let length: Int64
  /// Whether the copy ends with an additional padding byte.
  package let isPadded: Bool
  /// The corrected numbers, with their offsets in the original file.
  package let patches: [FilePatch]

  /// Creates a plan with the numbers from a confined process.
  package init(head: [UInt8], length: Int64, isPadded: Bool, patches: [FilePatch]) {
    self.head = head
    self.length = length
    self.isPadded = isPadded
    self.patches = patches
  }

  /// Returns whether the numbers of the plan fit a file of `size` bytes. The numbers are not
  /// trusted, because a malicious file may have exploited a bug in the process that read the file.
  private func fits(_ size: Int64) -> Bool {
    [WaveFormat.headBytes, WaveFormat.largeHeadBytes].contains(head.count)
      && length >= Int64(WaveFormat.headBytes) && length <= size
      && patches.allSatisfy { $0.fits(length) }
  }

  /// The offset of a byte in the copy minus its offset in the file.
  private var shift: Int64 { Int64(head.count - WaveFormat.headBytes) }
}

extension SurveyedFile {
  /// Returns the plan for the repaired copy, or nil if the sizes in the file are correct and
  /// nothing follows its chunks. The file is only read.
  ///
  /// Throws if the file is cut short and has no frames, or if it is too large for its header. Also
  /// throws if the file has a flaw that this repair cannot correct, because the file is not WAV or
  /// its sizes are already right.
  package func waveCopy() throws(SoundFileError) -> WaveCopy? {
    try waveCopy(isFlawed: try flaw() != nil)
  }

  /// Returns the same plan, for a caller that already knows whether the file has a flaw.
  func waveCopy(isFlawed: Bool) throws(SoundFileError) -> WaveCopy? {
    guard try FileSurvey.containerName(of: file) == FileSurvey.waveContainer,
      let chunks = try Chunks(of: file), let extent = try chunks.sampleExtent()
    else {
      if !isFlawed { return nil }
      throw .notRepairable(subject: file.label, .notWave)
    }
    let copy = try WaveCopy.plan(for: file, chunks, extent, frames: reader(of: 0).frames?.value)
    if copy == nil, isFlawed { throw .notRepairable(subject: file.label, .flawInside) }
    return copy
  }
}

extension WaveCopy {
  fileprivate static func plan(
    for file: CheckedFile, _ chunks: Chunks, _ extent: SampleExtent, frames: Int64?
  ) throws(SoundFileError) -> WaveCopy? {
    let samples = extent.range(upTo: extent.count == nil ? try chunks.endOfSamples() : file.end)
    let isCut =
      extent.reaches(past: file.end) || extent.count == nil && samples.upperBound == file.end
    let there = Int64(samples.count)
    let audio = isCut ? try chunks.wholeBlocks(in: there) : there
    var length = samples.lowerBound + audio
    if !isCut { length = try chunks.wholeChunks(behind: length).end }
    let isPadded = !length.isMultiple(of: 2)
    let whole = length + (isPadded ? 1 : 0) - 8
    let former = try file.bytes(at: 0, upTo: WaveFormat.headBytes)
    var head = former
    var patches: [FilePatch] = []
    if let sizes = try chunks.offset(of: "ds64") {
      let numbers = isCut ? [whole, audio, frames ?? 0] : [whole, audio]
      for (index, number) in numbers.enumerated() {
        patches.append(
          FilePatch(offset: sizes + 8 * Int64(index), bytes: number.littleBytes))
      }
    } else {
      let isLarge = whole >= Int64(UInt32.max)
      if isLarge {
        // If the header states the size of the samples, it is unknown whether the bytes after this
        // size are samples. Such a file is not repaired.
        guard isCut || extent.count == nil, try chunks.canBecomeLarge() else {
          throw .notRepairable(subject: file.label, .tooLarge)
        }
        head = WaveFormat.largeHead(rest: whole, samples: audio, frames: frames ?? 0)
      } else {
        head.replaceSubrange(4..<8, with: chunks.layout.sizeField(of: whole))
      }
      let size = chunks.layout.sizeField(of: isLarge ? .max : audio)
      patches.append(FilePatch(offset: samples.lowerBound - 4, bytes: size))
    }
    if isCut, let frames, let fact = try chunks.offset(of: "fact") {
      patches.append(FilePatch(offset: fact, bytes: chunks.layout.sizeField(of: frames)))
    }
    var needed: [FilePatch] = []
    for patch in patches
    where try file.bytes(at: patch.offset, upTo: patch.bytes.count) != patch.bytes {
      needed.append(patch)
    }
    if needed.isEmpty, head == former, length == file.end { return nil }
    return WaveCopy(head: head, length: length, isPadded: isPadded, patches: needed)
  }

  /// Writes the repaired copy of a file to another file, which must be empty. Waits until the copy
  /// is on the disk.
  package func write(from file: CheckedFile, to target: CheckedFile) throws(SoundFileError) {
    guard fits(file.end) else { throw .notRepairable(subject: file.label, .unfitPlan) }
    try unsafe target.write(head.span.bytes, at: 0)
    var offset = Int64(WaveFormat.headBytes)
    while offset < length {
      let piece = try file.bytes(at: offset, upTo: Int(min(1 << 18, length - offset)))
      if piece.isEmpty { throw .sizeDiffers(subject: file.label, expected: length, actual: offset) }
      try unsafe target.write(piece.span.bytes, at: offset + shift)
      offset += Int64(piece.count)
    }
    if isPadded { try unsafe target.write([UInt8(0)].span.bytes, at: offset + shift) }
    for patch in patches {
      try FilePatch(offset: patch.offset + shift, bytes: patch.bytes).write(to: target)
    }
    try target.finish()
  }
}
