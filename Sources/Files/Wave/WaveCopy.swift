internal import Audio

/// The repaired copy of a WAV file from any program: the beginning of the file, with some numbers
/// replaced.
///
/// Everything up to the last whole frame or the last whole chunk is kept unchanged. So the copy has
/// the encoding and the texts of the file. Only its sizes are corrected.
package struct WaveCopy: Hashable, Sendable {
  /// Bytes that replace bytes of the file.
  package struct Patch: Hashable, Sendable {
    package let offset: Int64
    package let bytes: [UInt8]

    package init(offset: Int64, bytes: [UInt8]) {
      self.offset = offset
      self.bytes = bytes
    }
  }

  /// The number of bytes of the file to keep, from the beginning.
  package let length: Int64
  /// Whether a padding byte follows.
  package let isPadded: Bool
  package let patches: [Patch]

  /// A copy that was planned by a confined process.
  package init(length: Int64, isPadded: Bool, patches: [Patch]) {
    self.length = length
    self.isPadded = isPadded
    self.patches = patches
  }

  /// Whether a file of `size` bytes can have these numbers. The numbers are not trusted, because
  /// the file may have exploited a bug in the process that read it.
  fileprivate func fits(_ size: Int64) -> Bool {
    (0...size).contains(length)
      && patches.allSatisfy { patch in
        patch.offset >= 0 && patch.offset <= length - Int64(patch.bytes.count)
      }
  }
}

extension SurveyedFile {
  /// Returns the plan for the repaired copy, or nil if the sizes in the file are already correct.
  /// It only reads the file.
  ///
  /// Throws if the file is not WAV or has no frames.
  package func waveCopy() throws(SoundFileError) -> WaveCopy? {
    guard try file.containerName() == CheckedFile.waveContainer else {
      throw .notRepairable(subject: file.label)
    }
    _ = try flaw()
    return try file.waveCopy(frames: reader(of: 0).frames?.value)
  }
}

extension CheckedFile {
  fileprivate func waveCopy(frames: Int64?) throws(SoundFileError) -> WaveCopy? {
    let head = try bytes(at: 0, upTo: ChunkLayout.mostHeadBytes)
    guard let layout = ChunkLayout(of: head), let extent = try sampleExtent() else {
      throw .notRepairable(subject: label)
    }
    let samples = extent.range(upTo: extent.count == nil ? try endOfSamples(layout) : end)
    let isCut = reachesPastEnd(extent) || extent.count == nil && samples.upperBound == end
    let there = Int64(samples.count)
    let audio = isCut ? try wholeBlocks(in: there, layout) : there
    var length = samples.lowerBound + audio
    if !isCut { length = try endOfChunks(behind: length, layout) }
    let isPadded = !length.isMultiple(of: 2)
    let whole = length + (isPadded ? 1 : 0) - 8
    var patches: [WaveCopy.Patch] = []
    if let sizes = try offset(of: "ds64") {
      let numbers = isCut ? [whole, audio, frames ?? 0] : [whole, audio]
      for (index, number) in numbers.enumerated() {
        var bytes: [UInt8] = []
        bytes.append(little: number)
        patches.append(WaveCopy.Patch(offset: sizes + 8 * Int64(index), bytes: bytes))
      }
    } else {
      guard whole < Int64(UInt32.max) else { throw .notRepairable(subject: label) }
      patches.append(WaveCopy.Patch(offset: 4, bytes: layout.sizeField(of: whole)))
      patches.append(
        WaveCopy.Patch(offset: samples.lowerBound - 4, bytes: layout.sizeField(of: audio)))
    }
    if isCut, let frames, let fact = try offset(of: "fact") {
      patches.append(WaveCopy.Patch(offset: fact, bytes: layout.sizeField(of: frames)))
    }
    var needed: [WaveCopy.Patch] = []
    for patch in patches
    where try bytes(at: patch.offset, upTo: patch.bytes.count) != patch.bytes {
      needed.append(patch)
    }
    if needed.isEmpty, length == end { return nil }
    return WaveCopy(length: length, isPadded: isPadded, patches: needed)
  }

  /// Returns the end of the last whole chunk after the samples, including its padding if the file
  /// has it.
  private func endOfChunks(
    behind samples: Int64, _ layout: ChunkLayout
  ) throws(SoundFileError) -> Int64 {
    var offset = layout.next(after: samples, 0) ?? end
    var last = min(offset, end)
    for _ in 0..<Self.mostChunks where offset < end {
      let head = try bytes(at: offset, upTo: layout.headBytes)
      let start = offset + Int64(layout.headBytes)
      guard head.count == layout.headBytes, Self.isChunkName(head.prefix(4)),
        layout.content(head) <= end - start
      else { break }
      offset = layout.next(after: start, layout.content(head)) ?? end
      last = min(offset, end)
    }
    return last
  }

  /// Writes a repaired copy of this file to another file, which must be empty, and waits until it
  /// is on the disk.
  package func write(_ copy: WaveCopy, to target: CheckedFile) throws(SoundFileError) {
    guard copy.fits(end) else { throw .notRepairable(subject: label) }
    var offset: Int64 = 0
    while offset < copy.length {
      let piece = try bytes(at: offset, upTo: Int(min(1 << 18, copy.length - offset)))
      if piece.isEmpty { throw .sizeDiffers(subject: label, expected: copy.length, actual: offset) }
      try unsafe target.write(piece.span.bytes, at: offset)
      offset += Int64(piece.count)
    }
    if copy.isPadded { try unsafe target.write([UInt8(0)].span.bytes, at: offset) }
    for patch in copy.patches { try unsafe target.write(patch.bytes.span.bytes, at: patch.offset) }
    try target.finish()
  }
}
