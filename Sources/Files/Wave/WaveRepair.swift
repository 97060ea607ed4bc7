internal import Audio

extension CheckedFile {
  /// Returns the plan to repair a WAV file of this program. It only reads the file.
  func wavePlan() throws(SoundFileError) -> RepairPlan {
    let head = try bytes(at: 0, upTo: WaveHeader.mostBytes)
    guard let header = WaveHeader(parsing: head) else { throw .notRepairable(subject: label) }
    let following = try bytes(at: WaveExtent.statedTail(header, head: head), upTo: 4)
    let extent = WaveExtent(header, head: head, size: end, following: following)
    let frames = extent.audio / Int64(header.stream.bytesPerFrame)
    return RepairPlan(
      header.stream, frames: FrameCount(frames), .wave(isIntact: extent.isIntact))
  }

  /// Repairs a WAV file of this program, then replaces its cues and texts by these.
  package func recoverWave(
    cues: [SoundFileCue], tags: SoundFileTags
  ) throws(SoundFileError) -> Recovery {
    let plan = try wavePlan()
    let recovery = try carryOut(plan)
    try putWaveTail(cues, tags, after: plan)
    return recovery
  }

  /// Writes cues and texts after the samples of a WAV file and replaces the old ones. It only
  /// writes.
  package func putWaveTail(
    _ cues: [SoundFileCue], _ tags: SoundFileTags, after plan: RepairPlan
  ) throws(SoundFileError) {
    guard plan.format == .wav, plan.fits(end) else { throw .notRepairable(subject: label) }
    let tail = WaveTail.bytes(cues: cues, tags: tags)
    try endWave(WaveHeader(plan.stream), audio: plan.sampleBytes, tail: tail)
    try finish()
  }

  /// Returns the marks of a WAV file of this program, or nil if another program wrote it.
  func waveCues() throws(SoundFileError) -> [SoundFileCue]? {
    let head = try bytes(at: 0, upTo: WaveHeader.mostBytes)
    guard let header = WaveHeader(parsing: head) else { return nil }
    let start = WaveExtent.statedTail(header, head: head)
    let size = min(max(0, end - min(start, end)), Self.mostTailBytes)
    return WaveTail.cues(in: try bytes(at: start, upTo: Int(size)))
  }

  /// The maximum size of a tail to read. It is enough for far more marks than a user sets, and a
  /// small amount of memory.
  private static let mostTailBytes: Int64 = 1 << 24

  /// Ends the file after its samples and `tail`.
  ///
  /// Before the tail is written, the header states the end of the samples and is synchronized. So
  /// neither a crash in between nor a power failure, after which writes may be on the disk in any
  /// order, can turn a tail into noise. The header includes the tail only after the tail is
  /// complete.
  func endWave(_ header: WaveHeader, audio: Int64, tail: [UInt8]) throws(SoundFileError) {
    let audioEnd = Int64(header.count) + audio
    try writeHeader(header, audio: audio, end: audioEnd.padded)
    if end > audioEnd { try truncate(to: audioEnd) }
    if !tail.isEmpty { try synchronizeData() }
    let padding = Array(repeating: UInt8(0), count: Int(audioEnd.padded - audioEnd))
    try unsafe write((padding + tail).span.bytes, at: audioEnd)
    if !tail.isEmpty { try writeHeader(header, audio: audio, end: end) }
  }

  /// Replaces the header in one write, so that there is always a valid header.
  func writeHeader(_ header: any SoundFileHeader, audio: Int64, end: Int64) throws(SoundFileError) {
    try unsafe write(header.bytes(audio: audio, end: end).span.bytes, at: 0)
  }
}

/// The end of a WAV file's samples, determined from its header and its size.
struct WaveExtent: Hashable {
  /// The size of the whole frames in bytes.
  let audio: Int64
  /// Whether the header and the file size agree exactly.
  let isIntact: Bool

  /// Examines a file of `size` bytes that begins with `head`.
  ///
  /// The header of a killed take states fewer samples than the file contains. After a power
  /// failure, it may state more. The bytes after the stated samples are audio, unless they begin
  /// like a tail. In that case, the take ended while it was closing.
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

  /// Returns the offset where a tail would begin according to the header.
  static func statedTail(_ header: WaveHeader, head: [UInt8]) -> Int64 {
    let stated = header.statedSizes(in: head).audio
    let (tail, overflow) = Int64(header.count).addingReportingOverflow(stated)
    return overflow || tail == .max ? .max : tail.padded
  }
}

extension Int64 {
  /// The number rounded up to an even number. In RIFF, every chunk begins at an even offset.
  var padded: Int64 { self + (self & 1) }
}
