internal import Audio

extension CheckedFile {
  /// Finds out by reading alone how a WAV file of ours is made to say what it holds.
  func wavePlan() throws(SoundFileError) -> RepairPlan {
    let head = try bytes(at: 0, upTo: WaveHeader.mostBytes)
    guard let header = WaveHeader(parsing: head) else { throw .notRepairable(subject: label) }
    let following = try bytes(at: WaveExtent.statedTail(header, head: head), upTo: 4)
    let extent = WaveExtent(header, head: head, size: end, following: following)
    let frames = extent.audio / Int64(header.stream.bytesPerFrame)
    return RepairPlan(
      header.stream, frames: FrameCount(frames), .wave(isIntact: extent.isIntact))
  }

  /// Repairs a WAV file of ours, then puts these cues and texts in place of those that it has.
  package func recoverWave(
    cues: [SoundFileCue], tags: SoundFileTags
  ) throws(SoundFileError) -> Recovery {
    let plan = try wavePlan()
    let recovery = try carryOut(plan)
    try putWaveTail(cues, tags, after: plan)
    return recovery
  }

  /// Puts cues and texts behind the samples of a WAV file, in place of those that it has, by
  /// writing alone.
  package func putWaveTail(
    _ cues: [SoundFileCue], _ tags: SoundFileTags, after plan: RepairPlan
  ) throws(SoundFileError) {
    guard plan.format == .wav, plan.fits(end) else { throw .notRepairable(subject: label) }
    let tail = WaveTail.bytes(cues: cues, tags: tags)
    try endWave(WaveHeader(plan.stream), audio: plan.sampleBytes, tail: tail)
    try finish()
  }

  /// The marks of a WAV file of ours; nil where another program wrote it.
  func waveCues() throws(SoundFileError) -> [SoundFileCue]? {
    let head = try bytes(at: 0, upTo: WaveHeader.mostBytes)
    guard let header = WaveHeader(parsing: head) else { return nil }
    let start = WaveExtent.statedTail(header, head: head)
    let size = min(max(0, end - min(start, end)), Self.mostTailBytes)
    return WaveTail.cues(in: try bytes(at: start, upTo: Int(size)))
  }

  /// Far more marks than a user sets, and a small amount of memory.
  private static let mostTailBytes: Int64 = 1 << 24

  /// Ends the file behind its samples and `tail`.
  ///
  /// The header states the end of the samples before the tail is written, so that neither a crash
  /// in between nor a power cut, which keeps no order of its own, can turn a tail into noise; and
  /// it counts the tail only once that is complete.
  func endWave(_ header: WaveHeader, audio: Int64, tail: [UInt8]) throws(SoundFileError) {
    let audioEnd = Int64(header.count) + audio
    try writeHeader(header, audio: audio, end: audioEnd.padded)
    if end > audioEnd { try truncate(to: audioEnd) }
    if !tail.isEmpty { try synchronizeData() }
    let padding = Array(repeating: UInt8(0), count: Int(audioEnd.padded - audioEnd))
    try unsafe write((padding + tail).span.bytes, at: audioEnd)
    if !tail.isEmpty { try writeHeader(header, audio: audio, end: end) }
  }

  /// Replaces the header in one write, so that there is no moment without a valid one.
  func writeHeader(_ header: any SoundFileHeader, audio: Int64, end: Int64) throws(SoundFileError) {
    try unsafe write(header.bytes(audio: audio, end: end).span.bytes, at: 0)
  }
}

/// The end of a WAV file's samples, by its header and by its size.
struct WaveExtent: Hashable {
  /// The bytes of whole frames.
  let audio: Int64
  /// True if header and size agree to the byte.
  let isIntact: Bool

  /// Judges a file of `size` bytes that begins with `head`.
  ///
  /// The header of a killed take states fewer samples than there are; after a power cut it may
  /// state more. The bytes behind the stated samples are audio, unless they begin as a tail does:
  /// then the take was closing when it ended.
  ///
  /// - Parameter following: the first bytes, up to 4, from `statedTail` on.
  init(_ header: WaveHeader, head: [UInt8], size: Int64, following: [UInt8]) {
    let stated = header.statedSizes(in: head)
    let frame = Int64(header.stream.bytesPerFrame)
    let available = (size - Int64(header.count)) / frame * frame
    let isWhole = stated.audio <= available && stated.audio.isMultiple(of: frame)
    let endsThere = size - Int64(header.count) - 1 <= stated.audio
    let isStated = isWhole && (endsThere || WaveTail.begins(with: following))
    audio = isStated ? stated.audio : available
    isIntact =
      header.bytes(audio: audio, end: size).elementsEqual(head.prefix(header.count))
      && isStated && size >= Int64(header.count) + audio.padded
  }

  /// The place at which a tail would begin, by the header.
  static func statedTail(_ header: WaveHeader, head: [UInt8]) -> Int64 {
    let stated = header.statedSizes(in: head).audio
    let (tail, overflow) = Int64(header.count).addingReportingOverflow(stated)
    return overflow || tail == .max ? .max : tail.padded
  }
}

extension Int64 {
  /// The next even number: RIFF begins every chunk at one.
  var padded: Int64 { self + (self & 1) }
}
